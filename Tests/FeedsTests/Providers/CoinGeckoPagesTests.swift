import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("CoinGecko pages")
struct CoinGeckoPagesTests {
    func queries(_ watch: Watch) -> [[String: String]] {
        CoinGecko(plan: .public).pages(for: watch).map { page in
            Dictionary(page.request.query.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        }
    }

    @Test func namedMarkets() throws {
        #expect(
            queries(try watch("bitcoin", "boringdao-[old]", "bitcoin")) == [
                ["vs_currency": "usd", "ids": "bitcoin,boringdao-[old]", "per_page": "250", "precision": "full"]
            ])
    }

    @Test(arguments: [(0, 0), (1, 1), (20, 1), (250, 1), (251, 2), (17_000, 68)])
    func theLargestByPages(_ top: Int, _ pages: Int) throws {
        let queries = queries(try watch(top: top))
        #expect(queries.map { $0["page"] ?? "" } == (0..<pages).map { "\($0 + 1)" })
        #expect(
            queries.allSatisfy {
                $0["per_page"] == "250" && $0["order"] == "market_cap_desc" && $0["precision"] == "full"
            })
    }

    @Test func manyNamesAreSplitByNumberAndByLength() throws {
        let short = try (0..<600).map { try MarketID("c\($0)") }
        let pages = queries(Watch(short, currency: try Currency("usd")))
        #expect(pages.map { $0["ids"]?.split(separator: ",").count } == [250, 250, 100])

        let long = try (0..<250).map { try MarketID(String(repeating: "é", count: 60) + "\($0)") }
        let bytes = CoinGecko(plan: .public).pages(for: Watch(long, currency: try Currency("usd"))).map {
            $0.request.query.encoded.utf8.count
        }
        #expect(bytes.count > 10)
        #expect(bytes.allSatisfy { $0 < 8000 })
        #expect(pages.count == 3)
    }

    @Test func namedFirstThenTheLargest() throws {
        let queries = queries(try watch("bitcoin", top: 300))
        #expect(queries.map { $0["ids"] ?? $0["page"] ?? "" } == ["bitcoin", "1", "2"])
    }

    @Test func anotherNameAtTheProviderComesBackAsOurs() throws {
        let ours = try MarketID("MATIC")
        let watch = Watch([.init(ours, providerID: "matic-network")], currency: try Currency("usd"))
        let page = try #require(CoinGecko(plan: .public).pages(for: watch).first)
        let answer = try page.request.decode(Data(rows(row("matic-network", "0.5")).utf8))
        #expect(answer.map(\.market) == [ours])
    }
}
