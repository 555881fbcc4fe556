import Engine
import Foundation
import GRDB
import Markets
import Testing

@testable import History

/// Markets that were watched for their rank alone leave no row behind once nothing is recorded of them.
@Suite struct ForgottenSeriesTests {
    private static let day = 86_400.0

    private func markets(_ writer: HistoryWriter, in currency: String = "usd") throws -> [String] {
        try writer.queue.read {
            try String.fetchAll(
                $0, sql: "SELECT market FROM series WHERE currency = ? ORDER BY market", arguments: [currency])
        }
    }

    private func orphans(_ writer: HistoryWriter) throws -> Int {
        try writer.queue.read { db in
            try ["watch", "unknown", "healed", "candle", "stated"].reduce(0) { count, table in
                count
                    + (try Int.fetchOne(
                        db, sql: "SELECT count(*) FROM \(table) WHERE series NOT IN (SELECT id FROM series)") ?? -1)
            }
        }
    }

    @Test("ids that come and go without a price; those that the configuration ever named stay")
    func comeAndGo() async throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for step in 0..<300 {
            var record = poll(Double(step) * 60, sample("a", "\(step + 1)", quotedAt: Double(step) * 60))
            record.watched = WatchedMarkets(
                [market("a"), market("named"), market("passing-\(step)")], named: [market("a"), market("named")],
                currencies: .init(.usd))
            record.unknown = [(market("named"), .notAnswered), (market("passing-\(step)"), .nullPrice)]
            if step == 299 {
                record.watched = WatchedMarkets(
                    [market("a"), market("passing-299")], named: [market("a")], currencies: .init(.usd))
                record.unknown = [(market("passing-299"), .nullPrice)]
            }
            try writer.commit(record)
        }
        #expect(try markets(writer).count == 302)
        let pruned = try await writer.prune(to: Retention(samples: .hours(24 * 90)), now: moment(Self.day))
        #expect(pruned.series == 299)
        // The last is still watched.
        #expect(try markets(writer) == ["a", "named", "passing-299"])
        #expect(try orphans(writer) == 0)
        #expect(try writer.reader.size().samples == 300)
        // One that comes back is recorded like any other, by the same daemon.
        var record = poll(300 * 60, sample("passing-7", "7", quotedAt: 300 * 60))
        record.watched = WatchedMarkets([market("a"), market("passing-7")], currencies: .init(.usd))
        try writer.commit(record)
        #expect(try writer.reader.newest(in: .init(usd()))[market("passing-7")]?.newest.price == price("7"))
        #expect(try await writer.prune(to: Retention(), now: moment(Self.day)).series == 1)
        #expect(try markets(writer) == ["a", "named", "passing-7"])
    }

    @Test("with a sample or a candle left a market stays; without either it goes")
    func whatIsLeft() async throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for step in 0..<20 {
            let second = Double(step) * Self.day / 2
            var record = poll(second, sample("b", "2", quotedAt: second))
            record.watched = WatchedMarkets([market("b")], named: [market("b")], currencies: .init(.usd))
            if step == 0 {
                record.samples.append(sample("a", "1", quotedAt: second))
                record.watched?.all.append(market("a"))
            }
            try writer.commit(record)
        }
        let now = moment(10 * Self.day)
        #expect(try await writer.prune(to: Retention(), now: now).series == 0)
        #expect(try await writer.prune(to: Retention(samples: .hours(48)), now: now).series == 0, "its candle is kept")
        var candles = 0
        try writer.reader.candles(of: market("a"), in: usd(), every: .hours(1), since: nil, until: nil) { _ in
            candles += 1
        }
        #expect(candles == 1)
        #expect(try await writer.prune(to: Retention(samples: .hours(48), candles: .hours(48)), now: now).series == 1)
        #expect(try markets(writer) == ["b"])
        #expect(try orphans(writer) == 0)
    }

    @Test("a price of the running hour is no candle yet, and keeps its market")
    func runningHour() async throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        var record = poll(0, sample("a", "1", quotedAt: 0), sample("b", "1", quotedAt: 0))
        record.watched = WatchedMarkets([market("a"), market("b")], currencies: .init(.usd))
        try writer.commit(record)
        record = poll(60, sample("b", "2", quotedAt: 60))
        record.watched = WatchedMarkets([market("b")], currencies: .init(.usd))
        try writer.commit(record)
        #expect(try await writer.prune(to: Retention(), now: moment(120)).series == 0)
        #expect(try markets(writer) == ["a", "b"])
    }

    @Test("beyond the largest number nothing is recorded, and the database is not taken for damaged")
    func exhausted() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.queue.write { db in
            try db.execute(
                sql: "INSERT INTO series (id, market, currency, symbol, name) VALUES (1048575, 'x', 'eur', '', '')")
        }
        let error = #expect(throws: (any Error).self) { try writer.commit(poll(0, sample("new", "9", quotedAt: 0))) }
        #expect(error.map { "\($0)".contains("series numbers") } == true)
        #expect(writer.quarantinedDatabases().isEmpty)
        #expect(try writer.size().samples == 0)
    }
}
