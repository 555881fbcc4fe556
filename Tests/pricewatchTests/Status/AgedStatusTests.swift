import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

/// Nobody writes the file of a daemon that has ended; its reader judges what it says by the clock.
@Suite struct AgedStatusTests {
    private static let writtenAt = ChartScene.moment(0)

    /// Quoted 10 s before the file was written: bitcoin rose, ethereum fell; tether is missing.
    private static func file(version: String = Version.current) -> String {
        """
        {"schema": 1, "version": "\(version)", "state":"ok", "reasons": [ ], "pid": null, "written_at": "2026-11-21T10:00:00Z",
         "expires_at": null, "interval_s": 60, "extra \\"{[": "}],\\\\",
         "summary_24h": {"up":1,"down":1,"flat":0,"unknown":1,"coverage_percent":50.5,
           "gainers":[{"market":"bitcoin","change_percent":3.5}],"losers":[{"market":"ethereum","change_percent":-1}]},
         "markets": [
          {"market":"bitcoin","symbol":"btc","name":"B","currency":"usd","price":"1","quoted_at":"2026-11-21T09:59:50Z",
           "state":"fresh","reason":null,"change_24h_percent":3.5,"change_24h_basis":"recorded","more":[1,{"state":2}]},
          {"market":"ethereum","symbol":"e","name":"]},{","currency":"usd","price":"2","quoted_at":"2026-11-21T09:59:50Z",
           "state":"fresh","reason":null,"change_24h_percent":-1,"change_24h_basis":"reported"},
          {"market":"tether","symbol":"t","name":"T","currency":"usd","price":null,"quoted_at":null,
           "state":"missing","reason":"not_answered","change_24h_percent":null,"change_24h_basis":null}],
         "markets_omitted": 0, "alerts": {"firing": [], "pending": []}}
        """
    }

    private func aged(by age: Duration, staleAfter: Duration = .minutes(15), file: String = file()) throws
        -> (report: StatusReport, json: [String: Any])
    {
        let written = try #require(StatusReport(json: Data(file.utf8)))
        let report = written.aged(at: Self.writtenAt + age) { $0.text == "ethereum" ? .hours(9) : staleAfter }
        let json = try #require(try JSONSerialization.jsonObject(with: Data(report.json)) as? [String: Any])
        return (report, json)
    }

    @Test("what age has not touched stays")
    func young() throws {
        let report = try aged(by: .minutes(14)).report
        #expect(report.markets.map(\.state) == [.fresh, .fresh, .missing])
        #expect(report.state == .ok)
    }

    @Test("a quote that has grown old is stale and has no change; summary, reasons and state follow")
    func old() throws {
        let (report, json) = try aged(by: .hours(5))
        #expect(report.markets.map(\.state) == [.stale, .fresh, .missing])
        #expect(report.state == .degraded)
        #expect(report.summary.up == 0 && report.summary.down == 1 && report.summary.unknown == 2)
        let markets = try #require(json["markets"] as? [[String: Any]])
        #expect(markets.map { $0["state"] as? String } == ["stale", "fresh", "missing"])
        #expect(markets[0]["change_24h_percent"] is NSNull && markets[0]["change_24h_basis"] is NSNull)
        #expect(markets[0]["price"] as? String == "1" && markets[1]["change_24h_percent"] as? Int == -1)
        #expect(markets[1]["name"] as? String == "]},{")
        #expect(json["state"] as? String == "degraded")
        #expect((json["reasons"] as? [[String: String]])?.map { $0["message"] } == ["stale: bitcoin"])
        let summary = try #require(json["summary_24h"] as? [String: Any])
        #expect(["up", "down", "flat", "unknown"].map { summary[$0] as? Int } == [0, 1, 0, 2])
        #expect((summary["gainers"] as? [Any])?.isEmpty == true && (summary["losers"] as? [Any])?.count == 1)
        #expect(summary["coverage_percent"] as? Double == 50.5)
    }

    @Test("once no market is fresh, it fails; one that has stopped stays so", arguments: ["ok", "degraded", "stopped"])
    func allOld(state: String) throws {
        let file = Self.file().replacing("\"state\":\"ok\"", with: "\"state\":\"\(state)\"")
        let (report, json) = try aged(by: .hours(10), file: file)
        #expect(report.markets.map(\.state) == [.stale, .stale, .missing])
        #expect(json["state"] as? String == (state == "stopped" ? "stopped" : "failing"))
        #expect((json["reasons"] as? [Any])?.isEmpty == (state == "stopped"))
        #expect(report.summary.unknown == 3)
    }

    @Test("what was fresh at its age then stays so until it is older: a configuration changed since proves nothing")
    func changedSince() throws {
        #expect(try aged(by: .zero, staleAfter: .seconds(1)).report.markets[0].state == .fresh)
        #expect(try aged(by: .seconds(2), staleAfter: .seconds(1)).report.markets[0].state == .stale)
    }

    @Test("status says so of a file of long ago, for people and for programs")
    func command() async throws {
        let installation = try Installation(url: "http://127.0.0.1:9")
        _ = installation.folder.write(Self.file(), as: "status.json")
        let table = try await installation.run("status")
        #expect(table.exit == 2)
        #expect(table.output.contains("24h: 0 up, 0 down, 0 flat, 3 unknown"))
        #expect(table.output.split(separator: "\n").first { $0.hasPrefix("bitcoin") }?.hasSuffix("stale") == true)
        let json = try await installation.run("status", "--json")
        let status = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect((status["markets"] as? [[String: Any]])?.first?["state"] as? String == "stale")
        #expect(status["exit"] as? Int == 2 && status["expired"] as? Bool == true)
    }

    @Test("fields of other releases are kept in the text")
    func otherFields() async throws {
        let installation = try Installation(url: "http://127.0.0.1:9")
        // A file of this release is aged, which is tested above; that of another is passed on as it is.
        let text = Self.file(version: "9.9.9")
        _ = installation.folder.write(text, as: "status.json")
        let json = try await installation.run("status", "--json")
        #expect(json.exit == 2)
        #expect(json.output == "\(text.dropLast()),\"expired\":true,\"exit\":2}\n")
        let status = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(status["extra \"{["] as? String == "}],\\")
        #expect(((status["markets"] as? [[String: Any]])?[0]["more"] as? [Any])?.count == 2)
    }

    @Test("what another release has changed is read as far as it is known")
    func otherSchema() throws {
        let text = """
            {"schema": 2, "state": "dreaming", "written_at": "2026-11-21T10:00:00Z", "pid": "none", "reasons": {},
             "feeds": [{"name": "a", "state": "asleep"}], "interval_s": -1, "last_poll": [], "summary_24h": {"up": "1"},
             "markets": [{"market": "", "price": 1, "state": "odd", "change_24h_percent": 1e300}, {"market": "bitcoin"}]}
            """
        let report = try #require(StatusReport(json: Data(text.utf8)))
        #expect(report.state == .failing && report.pid == nil && report.reasons.isEmpty && report.interval == .zero)
        #expect(report.feeds.map(\.name) == ["a"] && report.lastPoll == nil && report.summary.up == 0)
        #expect(report.markets.count == 2 && report.markets[1].market.text == "bitcoin")
        #expect(
            report.markets[0].price == nil && report.markets[0].state == .unknown && report.markets[0].change == nil)
    }

    @Test(
        "what is no status file is refused",
        arguments: ["", "[]", "{}", "{\"state\": \"ok\"}", "{\"written_at\": 1}", "{"])
    func noStatus(text: String) { #expect(StatusReport(json: Data(text.utf8)) == nil) }
}
