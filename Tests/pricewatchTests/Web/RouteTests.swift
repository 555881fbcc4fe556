import Foundation
import Markets
import Testing

@testable import Views

@Suite struct RouteTests {
    private static func market(_ text: String) -> MarketID { try! MarketID(text) }

    private static let table: [(target: String, route: Route)] = [
        ("/", .markets()), ("/?sort=change&state=stale", .markets(.change, only: .stale)),
        ("/?state=fresh", .markets(only: .fresh)), ("/m/bitcoin", .market(market("bitcoin"))),
        ("/m/bitcoin?window=1y", .market(market("bitcoin"), .year)),
        ("/m/bitcoin.svg?window=30d", .picture(market("bitcoin"), .month)),
        ("/m/bitcoin.csv?window=7d", .records(market("bitcoin"), .week)), ("/alerts", .alerts()),
        ("/alerts?since=1d", .alerts(since: .hours(24))), ("/status", .status), ("/status.json", .statusJSON),
        ("/feed.atom", .feed), ("/healthz", .health), ("/style.css", .stylesheet),
        ("/m/boringdao-%5Bold%5D", .market(market("boringdao-[old]"))), ("/m/a%2Fb", .market(market("a/b"))),
        ("/m/a%20b", .market(market("a b"))), ("/m/%E5%90%8D", .market(market("名"))),
        ("/m/x%2Esvg", .market(market("x.svg"))), ("/m/x%2Esvg.svg", .picture(market("x.svg"))),
        ("/m/%2E%2E", .market(market(".."))), ("/m/%3Cscript%3E", .market(market("<script>"))),
    ]

    @Test("each route by its address, and each address by its route", arguments: table)
    func both(target: String, route: Route) throws {
        #expect(try Route(target: target) == route)
        #expect(PageLinks().path(route) == target)
    }

    @Test("what a query has beside is ignored, and a default may be said")
    func query() throws {
        #expect(try Route(target: "/?utm=x&sort=market&&a") == .markets(.market))
        #expect(try Route(target: "/m/bitcoin?window=24h") == .market(Self.market("bitcoin")))
        #expect(try Route(target: "/m/bitcoin?sort=nonsense") == .market(Self.market("bitcoin")))
    }

    @Test(
        "no page",
        arguments: [
            "/x", "/m", "/m/", "/m/a/b", "//", "/index.html", "/m/../status", "/../etc/passwd", "/%2e%2e/etc/passwd",
            "/m%2Fbitcoin", "/m/.svg", "/m/a%00b", "/m/a%0D%0Ab", "/m/a%1Bb", "/m/%E2%80%AEx", "/m/a%2Cb", "/m/%20a",
            "/m/%FF", "/m/%", "/m/%zz", "/STATUS", "/status/", "/m/" + String(repeating: "a", count: 201),
        ])
    func unknown(target: String) { #expect(throws: Route.Fault.unknown) { try Route(target: target) } }

    @Test(
        "malformed",
        arguments: [
            "", "x", "*", "http://localhost/", "/ ", "/\u{1}", "/é", "/?sort=nonsense", "/?state=x", "/?sort=%FF",
            "/m/bitcoin?window=2d", "/alerts?since=soon", "/alerts?since=0s", "/alerts?since=99999w",
        ])
    func malformed(target: String) { #expect(throws: Route.Fault.malformed) { try Route(target: target) } }

    @Test("pages that are refreshed link to pages that are; documents are not")
    func refresh() {
        #expect(Route.refresh(target: "/?refresh=60") == .seconds(60))
        for target in ["/", "/?refresh=1", "/?refresh=", "/?refresh=600"] {
            #expect(Route.refresh(target: target) == nil)
        }
        let links = PageLinks(refresh: .seconds(60))
        #expect(links.path(.markets(.change)) == "/?sort=change&refresh=60")
        #expect(links.path(.status) == "/status?refresh=60")
        #expect(links.path(.statusJSON) == "/status.json")
    }

    @Test("files: one a page, flat but for the markets, and links that find them")
    func files() throws {
        let links = PageLinks(files: "")
        #expect(links.path(.markets()) == "index.html" && links.path(.markets(.change)) == nil)
        #expect(PageLinks(files: "../").path(.status) == "../status.html")
        #expect(Route.market(Self.market("a/b")).file == "m/a%2Fb.html")
        #expect(links.path(.market(Self.market("a/b"))) == "m/a%252Fb.html")
        #expect(Route.market(Self.market("bitcoin"), .week).file == "m/bitcoin-7d.html")
        #expect(Route.picture(Self.market("bitcoin"), .week).file == nil)
        #expect(Route.records(Self.market("bitcoin"), .year).file == nil)
        var files: Set<String> = []
        let ids = ["bitCNY", "bitcny", "..", ".", "a.svg", "a", String(repeating: "名", count: 66)]
        for id in ids {
            let file = try #require(Route.market(try MarketID(id)).file)
            #expect(file.utf8.count < 240 && !file.dropFirst(2).contains("/") && !file.hasPrefix("m/."), "\(file)")
            files.insert(file.lowercased())
        }
        #expect(files.count == ids.count)
    }
}
