import Foundation
import GRDB
import Markets
import Testing

@testable import Engine
@testable import History

/// What an earlier release wrote down without a bound is bounded when it is read.
@Suite struct NameBoundsTests {
    private static let endless = "a" + String(repeating: "\u{301}", count: 150_000)

    @Test("names, symbols and ids are cut")
    func remembered() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        var record = poll(0, sample("bitcoin", "1", quotedAt: 0))
        record.watched = WatchedMarkets([market("bitcoin")], currencies: .init(.usd))
        record.ranking = [market("bitcoin")]
        try writer.commit(record) {
            $0.events = [event("1")]
            $0.outbox = [
                .queue(OutgoingMessage(id: "m", channel: "c", createdAt: moment(), events: [event("1")]))
            ]
            $0.alerts = [
                AlertKey(rule: "r \"quoted\"\n", market: market("bitcoin")): Alert(
                    state: .firing(.init(since: moment(), lastNotified: moment())), condition: "above 10",
                    announcements: 1)
            ]
        }
        try writer.close()
        let plain = try DatabaseQueue(path: folder.database)
        try plain.write { db in
            try db.execute(
                sql: """
                    UPDATE series SET symbol = :text, name = :text;
                    UPDATE event SET symbol = :text, name = :text;
                    INSERT INTO series (market, currency, symbol, name) VALUES (:text, 'usd', 'x', 'y');
                    INSERT INTO ranking (place, market) VALUES (2, :text);
                    """, arguments: ["text": Self.endless])
        }
        try plain.close()

        let reader = try HistoryReader(at: folder.database)
        #expect(try reader.ranking().first == market("bitcoin"))
        #expect(try reader.ranking().allSatisfy { $0.text.utf8.count <= MarketID.longest })
        let newest = try #require(try reader.newest(in: .init(usd()))[market("bitcoin")])
        expectBounded(newest.name, newest.symbol)
        let names = try reader.names()
        #expect(names.map(\.market).contains(market("bitcoin")) && names.count == 2)
        #expect(names.allSatisfy { $0.market.text.utf8.count <= MarketID.longest })
        for name in names { expectBounded(name.name, name.symbol) }
        for name in try reader.names(in: .init(usd()), of: nil) { expectBounded(name.name, name.symbol) }
        let contents = try #require(try reader.contents(ofMessage: "m"))
        for event in try reader.events(since: moment(-1)) + reader.activeEvents() + contents.events {
            expectBounded(event.name, event.symbol)
        }
        #expect(try reader.activeEvents().count == 1)

        // The next poll writes what it hears in their place.
        let next = try HistoryWriter(at: folder.database)
        try next.commit(poll(60, sample("bitcoin", "2", quotedAt: 60)))
        #expect(try next.reader.names().contains { $0.name == "Bitcoin" })
    }

    private func expectBounded(_ name: String, _ symbol: String) {
        #expect(name.utf8.count <= 200 && symbol.utf8.count <= 50)
        #expect(!name.isEmpty && !symbol.isEmpty)
    }
}
