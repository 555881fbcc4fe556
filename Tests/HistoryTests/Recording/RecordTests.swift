import Engine
import Foundation
import GRDB
import Markets
import Testing

@testable import History

@Suite struct RecordTests {
    private func samples(_ reader: HistoryReader, _ id: String, since: Double? = nil, until: Double? = nil) throws
        -> [RecordedSample]
    {
        var found: [RecordedSample] = []
        try reader.samples(of: market(id), in: usd(), since: since.map(moment), until: until.map(moment)) {
            found.append($0)
        }
        return found
    }

    @Test("what is recorded comes back as it was, through a reader of its own")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("bitcoin", "77123.45", quotedAt: -30), sample("_", "1.206e-09", quotedAt: 0)))
        try writer.commit(poll(60, sample("bitcoin", "123456789.123456789", quotedAt: 59)))
        let reader = try HistoryReader(at: folder.database)
        let found = try samples(reader, "bitcoin")
        #expect(found.map(\.price.description) == ["77123.45", "123456789.123456789"])
        #expect(found.map(\.quotedAt) == [moment(-30), moment(59)])
        #expect(found.map(\.fetchedAt) == [moment(1), moment(61)])
        #expect(found.first?.feed == "test")
        #expect(try samples(reader, "_").map(\.price.description) == ["0.000000001206"])
        #expect(try samples(reader, "nothing").isEmpty)
    }

    @Test("a period includes its first moment and not its last")
    func period() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for second in [0.0, 60, 120] { try writer.commit(poll(second, sample("a", "1", quotedAt: second))) }
        #expect(try samples(writer.reader, "a", since: 60, until: 120).map(\.quotedAt) == [moment(60)])
        #expect(try samples(writer.reader, "a", since: 60).count == 2)
    }

    @Test(
        "the views speak to a plain shell",
        arguments: ["0.1", "0.000000001206", "77123.45", "123456789.123456789", "0.000000000000000001", "60000", "1"])
    func views(text: String) throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", text, quotedAt: -1)))
        let row = try #require(try writer.queue.read { try Row.fetchOne($0, sql: "SELECT * FROM prices") })
        #expect(row["price_text"] == text)
        #expect(row["price"] == Double(text))
        #expect(row["quoted_at"] == 1_795_255_199)
        #expect(row["fetched_at"] == 1_795_255_201)
        #expect(
            Array(row.columnNames) == [
                "market", "quoted_at", "fetched_at", "price", "currency", "feed", "confirmed", "price_text",
            ])
    }

    @Test("the newest price of every market is found, however far back it stands")
    func newest() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("old", "1", quotedAt: 0), sample("new", "2", quotedAt: 0)))
        for step in 1...200 { try writer.commit(poll(Double(step), sample("new", "\(step)", quotedAt: Double(step)))) }
        let newest = try writer.reader.newest(in: .init(usd()))
        #expect(newest[market("old")]?.newest.price == price("1"))
        #expect(newest[market("new")]?.newest.price == price("200"))
        #expect(newest[market("new")]?.name == "New")
    }

    @Test("a poll that cannot be written whole leaves nothing")
    func atomic() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        // Two samples of one market in one poll break the key, after the poll's row and a new series were written.
        #expect(throws: Unwritten.self) {
            try writer.commit(
                poll(60, sample("b", "1", quotedAt: 60), sample("a", "2", quotedAt: 60), sample("a", "3", quotedAt: 61))
            )
        }
        #expect(try writer.reader.size().samples == 1)
        #expect(try writer.reader.usablePolls(since: moment(-1)).count == 1)
        try writer.commit(poll(120, sample("b", "4", quotedAt: 120)))
        #expect(try samples(writer.reader, "b").map(\.price.description) == ["4"])
    }

    @Test("alert states and events come back, an event is there once")
    func alerts() throws {
        let folder = try TemporaryFolder()
        let key = AlertKey(rule: "r \"quoted\"\n", market: market("bitcoin"))
        let states: [AlertState] = [
            .pending(since: moment(0), held: WatchedTime(total: .seconds(90), lastAnswered: moment(90))),
            .firing(.init(since: moment(5), lastNotified: moment(6))),
            .firing(
                .init(
                    since: moment(5), lastNotified: moment(65), notifiedPrice: price("0.1"), side: .down,
                    clearedFor: WatchedTime(total: .seconds(3), lastAnswered: moment(70)))), .latched, .inactive,
        ]
        let writer = try HistoryWriter(at: folder.database)
        for (index, state) in states.enumerated() {
            var alerts = [key: Alert(state: state, condition: "above 10", announcements: index)]
            try writer.commit(poll(0)) { commit in
                commit.alerts = alerts
                commit.events = [event("same")]
            }
            // The currency is that of the last event.
            alerts[key]?.currency = usd()
            #expect(try writer.reader.alerts() == alerts)
        }
        #expect(try writer.reader.unloggedEvents() == [event("same")])
        try writer.commit(poll(0)) { $0.logged = ["same"] }
        #expect(try writer.reader.unloggedEvents().isEmpty)
    }

    @Test("the event behind a standing alert is its last of that kind")
    func standing() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        let key = AlertKey(rule: "r \"quoted\"\n", market: market("bitcoin"))
        try writer.commit(poll(0)) {
            $0.events = [event("1"), event("2", .resolved), event("3")]
            $0.alerts = [
                key: Alert(
                    state: .firing(.init(since: moment(), lastNotified: moment())), condition: "above 10",
                    announcements: 3)
            ]
        }
        #expect(try writer.reader.activeEvents().map(\.id) == ["3"])
        try writer.commit(poll(0)) {
            $0.events = [event("4", .resolved)]
            $0.alerts = [key: Alert(state: .inactive, condition: "above 10", announcements: 4)]
        }
        #expect(try writer.reader.activeEvents().isEmpty)
    }
}
