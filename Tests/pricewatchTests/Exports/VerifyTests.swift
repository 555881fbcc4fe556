import Exports
import Foundation
import GRDB
import HTTP
import History
import Markets
import TestSupport
import Testing

@testable import Engine
@testable import pricewatch

/// `export verify` on a real database, and an engine that is none.
@Suite struct VerifyTests {
    private let folder: TemporaryFolder
    private let start = Date(timeIntervalSince1970: 1_795_255_200)

    init() throws {
        folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for minute in 0..<120 { try writer.record(try poll(minute)) }
        try writer.close()
    }

    private func poll(_ minute: Int) throws -> PollRecord {
        let at = start + .minutes(minute)
        let markets = try ["bitcoin", "ethereum"].map { try MarketID($0) }
        var record = PollRecord(
            at: at, fetchedAt: at + .seconds(1), feed: "coingecko", source: .shared, interval: .minutes(1),
            currency: .usd,
            outcome: .ok, watched: WatchedMarkets(markets, currencies: .init(.usd)), ranking: markets)
        for market in markets {
            record.samples.append(
                Sample(
                    market: market, symbol: "", name: "",
                    price: try #require(Price(significand: Int64(60_000 + minute), exponent: -2)),
                    quotedAt: at - .seconds(5), confirmed: minute != 7))
        }
        return record
    }

    private var address: ExportAddress { ExportAddress(url: Secret("http://vm:8428/write")) }

    private func exporter(_ engine: LineEngine) -> Exporter {
        Exporter(name: "vm", address: address, transport: engine, now: { Date() })
    }

    /// Says that polls up to this one were sent, and which samples were confirmed by which poll.
    private func say(sentUpTo poll: Int, confirmed: [(poll: Int, sample: Int)] = []) throws {
        let queue = try DatabaseQueue(path: folder.database)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS export (
                        name TEXT PRIMARY KEY, address TEXT NOT NULL, poll INTEGER NOT NULL,
                        sent INTEGER NOT NULL, refused INTEGER NOT NULL, lost INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE IF NOT EXISTS confirmation (
                        poll INTEGER NOT NULL, sample INTEGER NOT NULL, PRIMARY KEY (poll, sample)
                    ) WITHOUT ROWID;
                    INSERT OR REPLACE INTO export VALUES ('vm', '', \(poll), 0, 0, 0);
                    """)
            for (poll, sample) in confirmed {
                try db.execute(sql: "INSERT INTO confirmation VALUES (?, ?)", arguments: [poll, sample])
            }
        }
        try queue.close()
    }

    /// Sends the confirmed samples of these minutes.
    private func send(_ minutes: Range<Int>, to engine: LineEngine) async throws {
        let samples = try minutes.filter { $0 != 7 }.flatMap { try poll($0).samples }
            .map { ExportedSample(market: $0.market, currency: .usd, price: $0.price, quotedAt: $0.quotedAt) }
        guard case .sent(refused: []) = await exporter(engine).send(ExportBatch(samples: samples, upTo: 1)) else {
            Issue.record("not sent")
            return
        }
    }

    /// At a time after which nothing is left out.
    private func verified(
        _ engine: LineEngine, since: TimeArgument = .ago(.hours(24)), repairs: Bool = false, at minute: Int = 130
    ) async throws -> ExportReport {
        try await ExportReport.verified(
            exporter(engine), try HistoryReader(at: folder.database), since: since, repairs: repairs, in: .utc,
            time: FixedTime(time: start + .minutes(minute)))
    }

    private struct FixedTime: TimeSource {
        let time: Date
        func now() -> Date { time }
        func uptime() -> Duration { .zero }
        func sleep(for duration: Duration) async throws {}
    }

    @Test func `an engine that holds every confirmed sample is equal`() async throws {
        let engine = LineEngine(hides: true)
        try await send(0..<120, to: engine)
        try say(sentUpTo: 120)
        let report = try await verified(engine)
        #expect(report.differing.isEmpty && report.recorded == 238 && report.markets == 2 && report.foreign == 0)
        #expect(
            report.lines(in: .utc, on: .init(environment: [:])) == [
                "vm: equal: 238 samples of 2 markets since 2026-11-20 12:10:00 UTC"
            ])
    }

    @Test func `what is not sent yet is not missing`() async throws {
        let engine = LineEngine()
        try await send(0..<60, to: engine)
        try say(sentUpTo: 60)
        #expect(try await verified(engine).recorded == 118)
        #expect(try await verified(engine).differing.isEmpty)
        // Polled within the last minute, and not visible yet.
        try say(sentUpTo: 61)
        #expect(try await verified(engine, at: 61).differing.isEmpty)
        #expect(try await verified(engine, at: 70).differing.map(\.missing.count) == [1, 1])
    }

    @Test func `a sample that was confirmed by a later poll is sent with that`() async throws {
        let engine = LineEngine()
        try await send(0..<60, to: engine)
        let name = "pricewatch,currency=usd,market=bitcoin price"
        engine.change { $0[name]?.remove(at: 20) }
        // The first series is bitcoin; minute 7 is not confirmed and was never sent.
        try say(sentUpTo: 60, confirmed: [(poll: 61, sample: (22 << 20) + 1)])
        #expect(try await verified(engine).differing.isEmpty)
        try say(sentUpTo: 61)
        #expect(try await verified(engine).differing.map(\.market.text) == ["bitcoin", "ethereum"])
    }

    @Test func `what differs is said, sent again, and then equal`() async throws {
        let engine = LineEngine()
        try await send(0..<120, to: engine)
        try say(sentUpTo: 120)
        let name = "pricewatch,currency=usd,market=ethereum price"
        engine.change { held in
            held[name]?.removeSubrange(10..<13)
            held["pricewatch,currency=usd,market=bitcoin price"]?.append(.init(time: 1_795_255_200_000, value: "1"))
        }
        let report = try await verified(engine)
        #expect(
            report.lines(in: .utc, on: .init(environment: [:])) == [
                "vm: different: 238 samples of 2 markets since 2026-11-20 12:10:00 UTC",
                "1 sample there that this history does not hold (another daemon's, or pruned)",
                "market    currency  samples  missing  different  doubled  from                     to",
                "ethereum  usd           119        3          0        0  2026-11-21 10:10:55 UTC  2026-11-21 10:12:55 UTC",
                "send what is missing again: pricewatch export verify vm --repair",
            ])
        #expect(
            ExportReport.json([report]).contains(#""market":"ethereum","currency":"usd","samples":119,"missing":3"#))
        let repaired = try await verified(engine, repairs: true)
        #expect(repaired.differing.isEmpty && repaired.repaired == 3)
        #expect(try await verified(engine).differing.isEmpty)
        #expect(engine.held[name]?.count == 119)
    }

    @Test func `doubled and different samples are said, and what cures them`() async throws {
        let engine = LineEngine()
        try await send(0..<120, to: engine)
        try say(sentUpTo: 120)
        engine.change { held in
            held = held.mapValues { $0 + $0.prefix(5) }
            held["pricewatch,currency=usd,market=bitcoin price"]?[50].value = "1"
        }
        let report = try await verified(engine)
        #expect(report.differing.map(\.doubled) == [5, 5] && report.differing.map(\.different) == [1, 0])
        #expect(
            report.lines(in: .utc, on: .init(environment: [:])).last
                == "doubled samples: start VictoriaMetrics with -dedup.minScrapeInterval=1ms")
    }

    @Test(
        "only the wanted time is compared, however long ago it begins",
        arguments: [
            (TimeArgument.ago(.hours(1)), 98), (.ago(.hours(24 * 365 * 900)), 238),
        ])
    func since(since: TimeArgument, samples: Int) async throws {
        let engine = LineEngine()
        try await send(0..<120, to: engine)
        try say(sentUpTo: 120)
        let report = try await verified(engine, since: since)
        #expect(report.differing.isEmpty && report.recorded == samples)
    }

    @Test("an export that has sent nothing, an unknown one and none are errors")
    func errors() async throws {
        await #expect { try await verified(LineEngine()) } throws: { error in
            (error as? CommandError)?.exitCode == Exit.noSuchData
                && "\(error)".hasPrefix("export verify vm: nothing was sent to it yet")
        }
        let export = Configuration.Export(name: "cluster", address: address)
        #expect(try ExportVerify.chosen(nil, among: [export]) == [export])
        #expect { try ExportVerify.chosen("clstr", among: [export]) } throws: {
            "\($0)" == "find the export clstr: there is none of this name (did you mean cluster?)"
        }
        #expect { try ExportVerify.chosen(nil, among: []) } throws: {
            ($0 as? CommandError)?.exitCode == Exit.noSuchData
        }
    }

    @Test func `an engine without an answer is 69`() async throws {
        try say(sentUpTo: 120)
        let exporter = Exporter(name: "vm", address: address, transport: Closed(), now: { Date() })
        await #expect {
            try await ExportReport.verified(
                exporter, try HistoryReader(at: folder.database), since: .ago(.hours(24)), repairs: false, in: .utc,
                time: FixedTime(time: start + .minutes(130)))
        } throws: { error in
            (error as? CommandError)?.exitCode == Exit.noAnswer
                && "\(error)" == "export verify: read from vm: no connection: connection refused"
        }
    }

    private struct Closed: HTTPTransport {
        func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
            throw .connect("connection refused")
        }
    }
}
