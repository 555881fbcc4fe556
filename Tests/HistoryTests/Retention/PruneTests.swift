import Engine
import Foundation
import GRDB
import Markets
import Testing

@testable import History

@Suite struct PruneTests {
    private static let day = 86_400.0

    /// Ten days, a poll every ten minutes, three markets.
    private func tenDays(_ folder: TemporaryFolder) async throws -> HistoryWriter {
        let writer = try HistoryWriter(at: folder.database)
        for step in 0..<1440 {
            if step % 20 == 0 { await Task.yield() }  // the tests beside it share two threads
            let second = Double(step) * 600
            var record = poll(
                second, sample("a", "\(step + 1)", quotedAt: second), sample("b", "2", quotedAt: second),
                sample("c", "0.1", quotedAt: second))
            record.watched = WatchedMarkets(
                step % 100 < 50 ? [market("a"), market("b")] : [market("a")], currencies: .init(.usd))
            record.unknown = [(market("x"), .notAnswered)]
            try writer.commit(record) {
                if step % 144 == 0 { $0.events = [event("e\(step)", at: second)] }
                $0.logged = ["e\(step - 144 * 2)", "e\(step - 1)"]
            }
        }
        return writer
    }

    private func count(_ writer: HistoryWriter, _ what: String) throws -> Int {
        try writer.queue.read { try Int.fetchOne($0, sql: "SELECT \(what)") ?? -1 }
    }

    @Test("samples older than they are kept go, with their polls; their candles stay")
    func age() async throws {
        let folder = try TemporaryFolder()
        let writer = try await tenDays(folder)
        let now = moment(10 * Self.day)
        #expect(try writer.size().samples == 4320)
        let candles = try count(writer, "count(*) FROM candle")
        let pruned = try await writer.prune(to: Retention(samples: .hours(72)), now: now)
        #expect(pruned.samples == 7 * 144 * 3)
        #expect(pruned.polls == 7 * 144)
        #expect(try count(writer, "count(*) FROM sample") == 3 * 144 * 3)
        #expect(try count(writer, "count(*) FROM unknown") == 3 * 144)
        #expect(try count(writer, "count(*) FROM candle") == candles)
        #expect(try writer.size().samples == 3 * 144 * 3)
        #expect(try writer.size().oldestAt == moment(7 * Self.day))
        #expect(
            try count(writer, "min(at) FROM poll JOIN watch ON watch.poll = poll.id")
                == Int(moment(7 * Self.day).milliseconds), "the watchlist is told from the oldest poll on")
        #expect(try await writer.prune(to: Retention(samples: .hours(72)), now: now).isEmpty)
        var days: [Candle] = []
        try writer.reader.candles(of: market("a"), in: usd(), every: .hours(24), since: nil, until: nil) {
            days.append($0)
        }
        #expect(days.map(\.samples).reduce(0, +) == 1440, "long candles outlive the samples")
    }

    @Test("how much there is stays right when it is counted anew meanwhile")
    func countedMeanwhile() async throws {
        let folder = try TemporaryFolder()
        let writer = try await tenDays(folder)
        _ = try writer.size()
        let desk = try CommandDatabase(at: folder.database)
        let pruning = Task { try await writer.prune(to: Retention(samples: .hours(24)), now: moment(10 * Self.day)) }
        var counts = 0
        while try writer.size().samples > 1000, counts < 10_000 {
            counts += 1
            try desk.silence(rule: "r", market: nil, from: moment(), until: moment(Double(counts)))
            _ = try writer.changedByOthers()
            await Task.yield()
        }
        _ = try await pruning.value
        #expect(try writer.size().samples == writer.reader.size().samples)
    }

    @Test("a sample whose hour has no candle yet stays, whatever its age and the size")
    func unsettled() async throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for step in 0..<10 { try writer.commit(poll(Double(step) * 60, sample("a", "1", quotedAt: Double(step) * 60))) }
        let pruned = try await writer.prune(
            to: Retention(samples: .seconds(1), candles: .seconds(1), maxSize: 1), now: moment(99 * Self.day))
        #expect(pruned.samples == 0)
        #expect(pruned.isStillTooLarge)
        #expect(try writer.size().samples == 10)
    }

    @Test("candles and alert events go together, never before the samples; an alert's last event stays")
    func candlesAndEvents() async throws {
        let folder = try TemporaryFolder()
        let writer = try await tenDays(folder)
        let pruned = try await writer.prune(
            to: Retention(samples: .hours(24), candles: .hours(48)), now: moment(10 * Self.day))
        #expect(pruned.candles > 0)
        #expect(try count(writer, "min(hour) * 3600 FROM candle") == 1_795_255_200 + 8 * 86_400)
        #expect(try count(writer, "count(*) FROM event WHERE at < 1795255200000 + 8 * 86400000 AND logged") == 0)
        #expect(try count(writer, "max(id) FROM event") == 10)
        let shorter = try await writer.prune(
            to: Retention(samples: .hours(24), candles: .hours(1)), now: moment(10 * Self.day))
        #expect(shorter.candles == 24 * 3, "samples without their candles would be a history of two lengths")
    }

    @Test("beyond its size the oldest samples go and the files shrink; candles stay")
    func size() async throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        let markets = try (0..<200).map { try MarketID("m\($0)") }
        for step in 0..<1200 {
            let second = Double(step) * 120
            var record = poll(second)
            record.samples = markets.enumerated().map {
                Sample(
                    market: $1, symbol: "s", name: "n", price: price("\(step + 1)\($0 + 1)7.12345678"),
                    quotedAt: moment(second))
            }
            try writer.commit(record)
        }
        let limit: Int64 = 3 << 20
        let candles = try count(writer, "count(*) FROM candle")
        #expect(writer.reader.bytesOnDisk() > limit)
        let pruned = try await writer.prune(to: Retention(maxSize: limit), now: moment(1200 * 120))
        #expect(writer.reader.bytesOnDisk() <= limit)
        #expect(pruned.bytes > 0)
        #expect(!pruned.isStillTooLarge)
        #expect(try count(writer, "count(*) FROM candle") == candles)
        #expect(try count(writer, "count(*) FROM sample") > 1000)
        #expect(try await writer.queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    }
}
