import Engine
import Foundation
import HTTP
import History
import Markets
import Testing

@testable import Views
@testable import pricewatch

/// What the page answers, without a socket: a recorded history of three hours and a status file of its own.
@Suite struct SiteTests {
    private let folder: TemporaryFolder
    private let lock: DaemonLock
    private let configuration: Configuration
    private let now: Date

    /// One that has answered nothing yet.
    private var site: Site {
        let names = ["prices.example.com"].compactMap(HostName.init)
        return Site(configuration, path: folder.path + "/p.yaml", hosts: AllowedHosts(names))
    }

    init() throws {
        let database = FilledDatabase()
        now = database.end + .seconds(10)
        folder = try TemporaryFolder()
        try database.write(to: folder.database)
        lock = try DaemonLock(for: folder.database)
        let path = folder.write(
            FilledDatabase.configuration
                + "history: {database: \(folder.database)}\nstatus_file: \(folder.path)/status.json\n"
                + "log: {file: \(folder.path)/log}\n",
            as: "p.yaml")
        configuration = try ConfigurationReading.readForRecords(option: path).configuration
    }

    /// A status as a daemon in this process would have written it.
    private func writeStatus(_ change: (inout StatusReport) -> Void = { _ in }) throws {
        let path = folder.path + "/p.yaml"
        let configuration = try ConfigurationReading.readForRecords(option: path).configuration
        var report = try StatusReport(
            remembering: HistoryReader(at: folder.database), Settings(configuration, host: "box"), now: now)
        (report.state, report.pid, report.expiresAt) = (.ok, getpid(), now + .minutes(2))
        report.feeds = [.init()]
        change(&report)
        _ = folder.write(String(decoding: report.json, as: UTF8.self), as: "status.json")
    }

    private func reply(
        _ target: String, _ method: String = "GET", host: String = "localhost", _ more: (String, String)...
    ) async -> ServedReply {
        await site.reply(
            to: ServedRequest(
                method, target, HTTPFields([(name: "Host", value: host)] + more.map { (name: $0, value: $1) })),
            now: now)
    }

    private func text(_ reply: ServedReply) -> String { String(decoding: reply.body, as: UTF8.self) }

    // MARK: Answers

    private static let routes: [(target: String, status: Int, type: String)] = [
        ("/", 200, "text/html"), ("/?sort=change&state=stale", 200, "text/html"), ("/m/bitcoin", 200, "text/html"),
        ("/m/bitcoin?window=7d", 200, "text/html"), ("/m/bitcoin?window=30d", 200, "text/html"),
        ("/m/bitcoin?window=1y", 200, "text/html"), ("/m/bitcoin.svg", 200, "image/svg+xml"),
        ("/m/bitcoin.csv", 200, "text/csv"), ("/alerts?since=30d", 200, "text/html"), ("/status", 200, "text/html"),
        ("/status.json", 200, "application/json"), ("/feed.atom", 200, "application/atom+xml"),
        ("/healthz", 200, "text/plain"), ("/style.css", 200, "text/css"), ("/m/nothing", 404, "text/html"),
        ("/m/nothing.svg", 404, "text/html"), ("/m/nothing.csv", 404, "text/html"), ("/x", 404, "text/html"),
        ("/m/%2e%2e%2fetc%2fpasswd", 404, "text/html"), ("/m/a%00b", 404, "text/html"),
        ("/m/\(String(repeating: "a", count: 8000))", 404, "text/html"), ("/?sort=x", 400, "text/plain"),
        ("http://evil.example/", 400, "text/plain"),
    ]

    @Test("each address: its status, its type and every header", arguments: routes)
    func answers(target: String, status: Int, type: String) async throws {
        try writeStatus()
        let reply = await reply(target)
        #expect(reply.status == status, "\(text(reply).prefix(300))")
        let fields = reply.fields
        #expect(fields["Content-Type"] == "\(type); charset=utf-8")
        let style = type == "image/svg+xml" ? "'unsafe-inline'" : "'self'"
        #expect(
            fields["Content-Security-Policy"]
                == "default-src 'none'; style-src \(style); img-src 'self' data:; form-action 'none'; base-uri 'none'; "
                + "frame-ancestors 'none'")
        #expect(fields["X-Content-Type-Options"] == "nosniff")
        #expect(fields["Referrer-Policy"] == "no-referrer")
        #expect(fields["Cross-Origin-Resource-Policy"] == "same-origin")
        #expect(fields["Vary"] == "Accept-Encoding")
        let isTagged = ["image/svg+xml", "text/css"].contains(type)
        #expect(fields["Cache-Control"] == (isTagged ? "no-cache" : "no-store"))
        #expect((fields["ETag"] != nil) == isTagged)
        let names = fields.all.map { $0.name.lowercased() }
        for name in ["set-cookie", "access-control-allow-origin", "server", "refresh", "location"] {
            #expect(!names.contains(name))
        }
        #expect(Set(names).count == names.count)
        #expect(reply.body.count > 20)
    }

    @Test("one stylesheet of at most 8 KiB for all pages, and no style or script in them")
    func stylesheet() async throws {
        try writeStatus()
        #expect(await reply("/style.css").body.count <= 8 << 10)
        for (target, status, type) in Self.routes where type == "text/html" && status == 200 {
            let page = text(await reply(target))
            #expect(page.contains("<link rel=\"stylesheet\" href=\"/style.css\"/>"))
            #expect(!page.contains(/<style|<script| style=| on[a-z]+=/), "\(target)")
        }
    }

    @Test("what is tagged is not sent again")
    func revalidation() async throws {
        try writeStatus()
        for target in ["/style.css", "/m/bitcoin.svg?window=7d"] {
            let tag = try #require(await reply(target).fields["ETag"])
            for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let again = await reply(target, "GET", ("If-None-Match", known))
                #expect(again.status == 304 && again.body.isEmpty && again.fields["ETag"] == tag)
            }
            #expect(await reply(target, "GET", ("If-None-Match", "\"other\"")).status == 200)
        }
    }

    private func reply(_ target: String, _ method: String, _ more: (String, String)) async -> ServedReply {
        await reply(target, method, host: "localhost", more)
    }

    @Test("the Host: own names and allowed ones, 421 for others, 400 for none or two")
    func hosts() async {
        for host in ["localhost", "127.0.0.1:8486", "[::1]", "prices.example.com", "prices.example.com:443"] {
            #expect(await reply("/healthz", host: host).status != 421)
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.0.2.1"] {
            let refused = await reply("/", host: host)
            #expect(refused.status == 421 && !text(refused).contains("bitcoin"))
        }
        for host in ["", "local host", "[::1"] { #expect(await reply("/", host: host).status == 400) }
        let none = await site.reply(to: ServedRequest("GET", "/", [:]), now: now)
        let two = await site.reply(
            to: ServedRequest("GET", "/", ["Host": "localhost", "host": "evil.example"]), now: now)
        #expect(none.status == 400 && two.status == 400)
    }

    @Test("only GET and HEAD", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"])
    func methods(method: String) async {
        let refused = await reply("/", method)
        #expect(refused.status == 405 && refused.fields["Allow"] == "GET, HEAD")
    }

    @Test("a page is refreshed at the reader's wish alone")
    func refresh() async throws {
        try writeStatus()
        #expect(await reply("/?refresh=60").fields["Refresh"] == "60")
        #expect(text(await reply("/?refresh=60")).contains(#"<a href="/">refreshed every minute: stop</a>"#))
        #expect(text(await reply("/")).contains(#"<a href="/?refresh=60">refresh every minute</a>"#))
        #expect(await reply("/status.json?refresh=60").fields["Refresh"] == nil)
    }

    // MARK: Contents

    @Test("the first page: sentence, alerts, summary, table; sorted and filtered by its links")
    func markets() async throws {
        try writeStatus { $0.markets[1].state = .stale }
        let page = text(await reply("/"))
        #expect(page.contains("<title>(1 firing) pricewatch</title>"))
        #expect(page.contains("<strong>ok</strong>: 3 markets, not polled yet, 1 alert firing"))
        #expect(page.contains(" · <bdi>high</bdi>: <a href=\"/m/bitcoin\"><bdi>bitcoin</bdi></a>"))
        #expect(page.matches(of: /<strong>(?:firing|pending)<\/strong> for [0-9]/).count == 2)
        #expect(page.contains("as of <time datetime="))
        let rows = page.components(separatedBy: "<th scope=\"row\">").dropFirst()
        #expect(rows.count == 3)
        #expect(rows.allSatisfy { $0.contains("<svg class=\"trend\"") && $0.contains("role=\"img\"><title>") })
        let stale = text(await reply("/?state=stale"))
        #expect(stale.components(separatedBy: "<th scope=\"row\">").count == 2)
        #expect(stale.contains("<a href=\"/?state=stale\" aria-current=\"true\">stale 1</a>"))
        let byName = text(await reply("/?sort=market"))
        #expect(byName.contains("aria-sort=\"ascending\"><a href=\"/\">Market</a>"))
        let byPrice = text(await reply("/?sort=price"))
        let order = byPrice.components(separatedBy: "<th scope=\"row\">").dropFirst().compactMap {
            $0.firstMatch(of: /<bdi>([A-Za-z]+)</).map { String($0.output.1) }
        }
        #expect(order == ["Bitcoin", "Ethereum", "Tether"])
    }

    @Test("a market: chart with thresholds and events, candles, rules with their states and silences")
    func market() async throws {
        try writeStatus()
        let page = text(await reply("/m/bitcoin"))
        #expect(page.contains("<title>(1 firing) Bitcoin – pricewatch</title>"))
        #expect(page.contains("role=\"img\" aria-labelledby=\"wide-title wide-text\""))
        #expect(page.contains("<title id=\"wide-title\">Bitcoin (BIT) in usd"))
        #expect(page.contains("class=\"firing\""))
        #expect(page.contains("<td>above 1</td><td class=\"bad\">firing for "))
        #expect(page.contains("<td>falls 5% within 1h</td><td>quiet, silenced until <time "))
        #expect(page.contains("<th scope=\"col\" class=\"n\">Close</th>"))
        #expect(page.contains("<a href=\"/m/bitcoin.csv\">CSV</a>"))
        // The threshold of 1 is far below the prices.
        #expect(!page.contains("threshold\"><title>"))
        let csv = text(await reply("/m/bitcoin.csv"))
        #expect(csv.hasPrefix("market,quoted_at,fetched_at,price,currency,feed,confirmed\nbitcoin,"))
        let hours = text(await reply("/m/bitcoin.csv?window=7d"))
        #expect(
            hours.hasPrefix("market,currency,start,open,high,low,close,samples,volume_24h,market_cap\nbitcoin,usd,"))
    }

    @Test("a threshold near the prices is drawn, with its rule")
    func threshold() throws {
        var chart = try ChartScene.chart([(0, "90"), (60, "98")])
        chart.thresholds = try ["high", "far"].enumerated().flatMap { place, rule in
            Chart.Threshold.of(rule, .above(try #require(Price(parsing: place == 0 ? "100" : "1000"))))
        }
        let svg = SVGChart(chart).file.text
        #expect(svg.contains("class=\"threshold\"><title>high 100</title>"))
        #expect(!svg.contains("<title>far"))
    }

    @Test("alerts, newest first, with silences; and as a feed")
    func alerts() async throws {
        try writeStatus()
        let page = text(await reply("/alerts?since=30d"))
        #expect(page.contains("high until ") && page.contains("all rules on tether until "))
        let kinds = page.matches(of: /<td class="(?:bad|warn|good)">([a-z]+)<\/td>/).map { String($0.output.1) }
        #expect(kinds == ["pending", "reminder", "firing"])
        #expect(text(await reply("/alerts?since=1m")).contains("No events in this time."))
        let feed = text(await reply("/feed.atom"))
        #expect(feed.contains("<id>urn:pricewatch:event:e3</id>") && feed.contains("firing high: bitcoin above 1"))
    }

    @Test("healthz and the state as status judges it", arguments: [0, 1, 2, 3])
    func health(exit: Int) async throws {
        switch exit {
        case 0: try writeStatus()
        case 1: try writeStatus { ($0.state, $0.reasons) = (.degraded, [.init(.quota, "the quota is low")]) }
        case 2: try writeStatus { $0.expiresAt = now - .seconds(1) }
        default: _ = folder.write("no status", as: "status.json")
        }
        let health = await reply("/healthz")
        #expect(health.status == (exit == 0 ? 200 : 503))
        let json = try JSONSerialization.jsonObject(with: Data(await reply("/status.json").body)) as? [String: Any]
        #expect(json?["exit"] as? Int == exit && json?["expired"] as? Bool == (exit > 1))
        let page = await reply("/")
        #expect(page.status == 200)
        let sentence = text(health).trimmingCharacters(in: .newlines)
        let words = text(page).replacing("&#39;", with: "'").replacing("</strong>: ", with: ": ")
        #expect(words.contains(sentence), "\(sentence)")
        #expect(text(page).contains("<p class=\"state \(["ok", "warn", "bad", "bad"][exit])\">"))
        // What the sentence says is not said again.
        if exit == 1 { #expect(words.components(separatedBy: "the quota is low").count == 2) }
    }

    @Test("nothing was ever recorded: a page that says so")
    func nothing() async throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
        let page = await reply("/")
        #expect(page.status == 200 && text(page).contains("<strong>unreadable</strong>: read the status"))
        #expect(text(await reply("/alerts")).contains("It is not known whether an alert fires."))
        #expect(await reply("/healthz").status == 503)
        #expect(await reply("/status.json").status == 503)
        #expect(await reply("/m/bitcoin").status == 404)
        try writeStatusWithoutHistory()
        #expect(text(await reply("/")).contains("Nothing is recorded yet"))
        #expect(text(await reply("/alerts")).contains("No alert fires."))
        #expect(text(await reply("/m/bitcoin")).contains("nothing recorded"))
    }

    private func writeStatusWithoutHistory() throws {
        var report = StatusReport()
        (report.state, report.writtenAt, report.pid, report.expiresAt) = (.starting, now, getpid(), now + .minutes(1))
        report.markets = [.init()]
        report.markets[0].market = try MarketID("bitcoin")
        _ = folder.write(String(decoding: report.json, as: UTF8.self), as: "status.json")
    }

    @Test("no page holds what the configuration has beside rules and markets")
    func secrets() async throws {
        try writeStatus()
        let path = folder.path + "/p.yaml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try
            (text
            + "notify:\n  ops: {webhook: \"https://hooks.example.com/s3cret\"}\nheartbeat: {url: \"https://hc.example.com/t0ken\"}\n")
            .write(to: URL(fileURLWithPath: path), atomically: true, encoding: .utf8)
        for (target, status, _) in Self.routes where status == 200 {
            let body = self.text(await reply(target))
            for word in ["s3cret", "hooks.example", "t0ken", "hc.example", "p.yaml"] {
                #expect(!body.contains(word), "\(target)")
            }
        }
    }

    @Test("requests of one second share what was read and rendered; the next second sees what is new")
    func moments() async throws {
        try writeStatus()
        let site = site
        func page(_ target: String, _ milliseconds: Int) async -> String {
            let request = ServedRequest("GET", target, ["Host": "localhost"])
            return text(await site.reply(to: request, now: now + .milliseconds(milliseconds)))
        }
        let first = await page("/", 0)
        try writeStatus { ($0.state, $0.reasons) = (.degraded, [.init(.quota, "the quota is low")]) }
        #expect(await page("/", 999) == first)
        #expect(!(await page("/status", 500).contains("the quota is low")))
        #expect(await page("/", 1000).contains("the quota is low"))
        try writeStatus()
        await site.forget()
        #expect(!(await page("/", 1001).contains("the quota is low")))
        // A clock that was set back.
        try writeStatus { ($0.state, $0.reasons) = (.degraded, [.init(.quota, "the quota is low")]) }
        #expect(await page("/", 0).contains("the quota is low"))
    }

    // MARK: Files

    @Test("the pages as files: every link leads to one, and the first line says until when they hold")
    func files() throws {
        try writeStatus()
        let configuration = try ConfigurationReading.readForRecords(option: folder.path + "/p.yaml").configuration
        let out = folder.path + "/out"
        let count = try WrittenSite(folder: out).write(SiteDocuments(configuration, now: now))
        let files = try FileManager.default.subpathsOfDirectory(atPath: out).filter { $0.contains(".") }
        #expect(files.count == count && files.contains("index.html") && files.contains("m/bitcoin-1y.html"))
        #expect(!files.contains { $0.hasSuffix(".tmp") })
        for file in files where file.hasSuffix(".html") {
            let page = try String(contentsOfFile: "\(out)/\(file)", encoding: .utf8)
            let first = page.components(separatedBy: "<body>")[1]
            #expect(first.hasPrefix("<header><p class=\"asof\">as of <time "), "\(file)")
            #expect(first.contains(" · stale after <time "))
            for link in page.matches(of: /(?:href|src)="([^"]+)"/).map({ String($0.output.1) })
            where !link.hasPrefix("data:") {
                let path = try #require(link.removingPercentEncoding)
                let target = URL(fileURLWithPath: "/\(file)").deletingLastPathComponent().appendingPathComponent(path)
                    .standardized.path
                #expect(files.contains(String(target.dropFirst())), "\(file): \(link)")
            }
        }
    }
}
