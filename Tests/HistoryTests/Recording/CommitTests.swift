import Foundation
import GRDB
import Markets
import Testing

@testable import Engine
@testable import History

@Suite struct CommitTests {
    private let folder: TemporaryFolder
    private let writer: HistoryWriter

    init() throws {
        folder = try TemporaryFolder()
        writer = try HistoryWriter(at: folder.database)
    }

    private func everything() -> Commit {
        var commit = Commit()
        commit.polls = [
            poll(0, sample("bitcoin", "1", quotedAt: 0)), poll(60, sample("bitcoin", "2", quotedAt: 60)),
        ]
        commit.idleCycle = (at: moment(90), watched: WatchedMarkets([market("bitcoin")], currencies: .init(.usd)))
        commit.alerts = [event("e").key: Alert(condition: "above 10", announcements: 1)]
        commit.events = [event("e")]
        commit.logged = ["e"]
        commit.notified = [event("e").key: ["ops"]]
        commit.digest = moment(-60)
        commit.outbox = [
            .queue(OutgoingMessage(id: "m", channel: "ops", createdAt: moment(), events: [event("e")]))
        ]
        return commit
    }

    private func ids(_ table: String) throws -> [Int64] {
        try writer.queue.read { try Int64.fetchAll($0, sql: "SELECT id FROM \(table) ORDER BY id") }
    }

    @Test("everything is written, in the order in which it happened")
    func whole() throws {
        let result = writer.commit(everything())
        #expect(result.fault == nil)
        #expect(result.installation == writer.installation)
        #expect(result.stored.samples == 2)
        #expect(result.stored.oldestAt == moment(0))
        #expect(result.stored.database == folder.database)
        #expect(result.stored.bytes > 0)
        #expect(result.quarantined.isEmpty)
        #expect(result.past == nil)
        let kinds = try writer.queue.read { try String.fetchAll($0, sql: "SELECT kind FROM turn ORDER BY id") }
        #expect(kinds == ["waiting"])
        #expect(try ids("turn") == [3])
        #expect(try ids("poll") == [1, 2])
        let reader = try HistoryReader(at: folder.database)
        #expect(try reader.alerts().count == 1)
        #expect(try reader.events(since: .distantPast) == [event("e")])
        #expect(try reader.unloggedEvents().isEmpty)
        #expect(try reader.notifiedChannels() == [event("e").key: ["ops"]])
        #expect(try reader.lastDigest() == moment(-60))
        #expect(try reader.queuedMessages().map(\.id) == ["m"])
    }

    @Test(
        "what fails late leaves nothing of what was written before",
        arguments: ["INSERT ON sample", "INSERT ON event", "INSERT ON message", "INSERT ON told", "UPDATE ON event"])
    func atomic(place: String) throws {
        try writer.queue.write {
            try $0.execute(sql: "CREATE TRIGGER full BEFORE \(place) BEGIN SELECT zeroblob(2000000000); END")
        }
        #expect(writer.commit(everything()).fault?.hasPrefix("record a poll in \(folder.database): ") == true)
        for table in ["turn", "poll", "sample", "alert", "event", "message", "told"] {
            #expect(try count(table) == 0, "\(table)")
        }
        #expect(try writer.size().samples == 0)
        try writer.queue.write { try $0.execute(sql: "DROP TRIGGER full") }
        #expect(writer.commit(everything()).fault == nil)
        #expect(try ids("poll") == [1, 2])
    }

    private func count(_ table: String) throws -> Int {
        try writer.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
    }

    @Test("an empty commit writes nothing, and answers with the past")
    func empty() throws {
        var doubtful = sample("a", "900", quotedAt: 60)
        doubtful.confirmed = false
        try writer.commit(poll(0, sample("a", "1", quotedAt: -30)), poll(60, doubtful))
        try writer.commit(poll(120, sample("a", "2", quotedAt: 110), sample("b", "7", quotedAt: 120)))
        let before = try writer.queue.read { try Int.fetchOne($0, sql: "SELECT total_changes()") }
        var commit = Commit()
        commit.pastNeeded = (moment(0)..<moment(120), .init(usd()))
        let result = writer.commit(commit)
        #expect(result.past == [PastPrice(market("a"), quotedAt: moment(-30), price: price("1"))])
        #expect(result.fault == nil)
        #expect(result.stored.samples == 4)
        commit.pastNeeded = (moment(60)..<moment(500), .init(usd()))
        #expect(writer.commit(commit).past?.map(\.market) == [market("a"), market("b")])
        commit.pastNeeded?.currencies.usual = try Currency("eur")
        #expect(writer.commit(commit).past == [])
        #expect(try writer.queue.read { try Int.fetchOne($0, sql: "SELECT total_changes()") } == before)
    }

    @Test("the past is read after the commit, also where that failed; nil where it cannot be read")
    func past() throws {
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        var commit = Commit()
        // Two samples of one market in one poll break the key.
        commit.polls = [poll(60, sample("a", "2", quotedAt: 60), sample("a", "3", quotedAt: 61))]
        commit.pastNeeded = (moment(0)..<moment(120), .init(usd()))
        let failed = writer.commit(commit)
        #expect(failed.fault != nil)
        #expect(failed.past?.map(\.price) == [price("1")])
        commit.polls = [poll(60, sample("a", "2", quotedAt: 60))]
        #expect(writer.commit(commit).past?.map(\.price) == [price("1"), price("2")])
        let beside = try DatabaseQueue(path: folder.database)
        try beside.write { try $0.execute(sql: "DROP TABLE sample") }
        commit.polls = []
        #expect(writer.commit(commit).past == nil)
    }

    @Test("a fault lasts until something is written")
    func fault() throws {
        let place = folder.path + "/place"
        try Data().write(to: URL(fileURLWithPath: place))
        let writer = try HistoryWriter(at: place + "/history.db")
        let fault = try #require(writer.fault?.description)
        #expect(writer.commit(Commit()).fault == fault)
        #expect(writer.commit(everything()).fault != nil)
        try FileManager.default.removeItem(atPath: place)
        #expect(writer.commit(Commit()).fault == fault)
        #expect(writer.commit(everything()).fault == nil)
        #expect(writer.commit(Commit()).fault == nil)
        #expect(try writer.reader.size().samples == 2)
    }

    @Test("a market that is watched for its rank and is named later is never forgotten")
    func namedLater() throws {
        for named in [[], [market("a")]] {
            var record = poll(0)
            record.watched = WatchedMarkets([market("a")], named: named, currencies: .init(.usd))
            try writer.commit(record)
        }
        #expect(try writer.queue.read { try Bool.fetchAll($0, sql: "SELECT named FROM series") } == [true])
    }
}
