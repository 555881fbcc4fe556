import Engine
import Foundation
import GRDB
import Markets
import Testing

@testable import History

@Suite struct OutboxTests {
    private let folder: TemporaryFolder
    private let writer: HistoryWriter

    init() throws {
        folder = try TemporaryFolder()
        writer = try HistoryWriter(at: folder.database)
    }

    private func message(
        _ id: String, _ events: [AlertEvent], to channel: String = "ops", held: Bool = false, at second: Double = 0
    ) -> OutgoingMessage {
        OutgoingMessage(id: id, channel: channel, createdAt: moment(second), events: events, isHeld: held)
    }

    private func record(_ events: [AlertEvent], _ messages: OutgoingMessage..., at second: Double = 0) throws {
        try writer.commit(poll(second, sample("bitcoin", "\(second + 1)", quotedAt: second))) {
            $0.events = events
            $0.outbox = messages.map(OutboxChange.queue)
        }
    }

    private func again() throws -> HistoryReader { try HistoryReader(at: folder.database) }

    @Test("what is queued with a poll is there after a kill, whole and in order")
    func queued() throws {
        let (first, second) = (event("e1"), event("e2", .resolved, at: 1))
        let note = Note(
            kind: .digest, title: "24h: \"1\" up", lines: ["a", "ü\n"], at: moment(0.123), host: "box")
        try record(
            [first, second], message("m1", [first, second]), message("m2", [second], to: "phone", held: true, at: 3),
            OutgoingMessage(id: "m3", channel: "ops", createdAt: moment(4), events: [], note: note))
        let reader = try again()
        let queued = try reader.queuedMessages()
        #expect(queued.map(\.id) == ["m1", "m2", "m3"])
        #expect(queued[0] == message("m1", [first, second]).queued)
        #expect(queued[1] == message("m2", [second], to: "phone", held: true, at: 3).queued)
        #expect(queued.map(\.isNote) == [false, false, true])
        #expect(try reader.contents(ofMessage: "m1") == .init(events: [first, second]))
        #expect(try reader.contents(ofMessage: "m3") == .init(events: [], note: note))
        #expect(try reader.contents(ofMessage: "m4") == nil)
        var size = OutboxSize(queued: 3, oldest: moment())
        size.held = [.init(channel: "phone", count: 1, until: nil)]
        #expect(try reader.outboxSize() == size)
    }

    @Test("a damaged event of a queued message is found at the start, not when it cannot be sent")
    func damagedEvent() throws {
        let (sent, queued) = (event("e1"), event("e2"))
        try record([sent, queued], message("m1", [queued]), message("m2", [queued]))
        try writer.close()
        func quarantined(damaging id: String) throws -> Int {
            try DatabaseQueue(path: folder.database).write {
                try $0.execute(sql: "UPDATE event SET price = x'07' WHERE event_id = ?", arguments: [id])
            }
            let next = try HistoryWriter(at: folder.database)
            defer { try? next.close() }
            return next.quarantinedDatabases().count
        }
        #expect(try quarantined(damaging: "e1") == 0, "it is read with all past events, when a user asks for them")
        #expect(try quarantined(damaging: "e2") == 1)
    }

    @Test("a message whose number no release gives is not taken along from the database that is set aside")
    func damagedNumber() throws {
        try record([event("e1")], message("m1", []), message("m2", []))
        try writer.close()
        try DatabaseQueue(path: folder.database).write {
            try $0.execute(sql: "UPDATE message SET id = -9223372036854775808 WHERE message_id = 'm1'")
        }
        let next = try HistoryWriter(at: folder.database)
        #expect(next.quarantinedDatabases().count == 1)
        #expect(try next.reader.queuedMessages().map(\.id) == ["m2"])
    }

    @Test("what is settled is gone; what was tried in vain remembers it")
    func settled() throws {
        let first = event("e1")
        try record([first], message("m1", [first]), message("m2", [first], to: "phone", at: 1))
        var later = message("m2", [first], to: "phone", at: 1).queued
        (later.attempts, later.notBefore, later.lastError) = (3, moment(60), "503")
        try writer.commit { $0.outbox = [.postpone(later), .remove("m1"), .remove("unheard of")] }
        let queued = try again().queuedMessages()
        #expect(queued.map(\.id) == ["m2"])
        #expect(queued[0].attempts == 3 && queued[0].notBefore == moment(60) && queued[0].lastError == "503")
        #expect(try again().outboxSize() == OutboxSize(queued: 1, oldest: moment(1)))
        try writer.commit { $0.outbox = [.remove("m2")] }
        #expect(try again().outboxSize() == OutboxSize(queued: 0, oldest: nil))
        #expect(try writer.reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM message_event") } == 0)
    }

    @Test("a message whose events were there before was queued with them, and is not queued again")
    func repeated() throws {
        let (old, new) = (event("e1"), event("e2", at: 5))
        try record([old], message("m1", [old]))
        try writer.commit { $0.outbox = [.remove("m1")] }
        try record([old], message("m1", [old]), at: 1)
        #expect(try writer.reader.queuedMessages().isEmpty)
        try record([old, new], message("m2", [old, new]), at: 2)
        #expect(try writer.reader.queuedMessages().map(\.id) == ["m2"])
    }

    @Test("what was delivered before it could be written is queued and taken out in one transaction")
    func settledBeforeWritten() throws {
        let first = event("e1")
        try writer.commit {
            $0.events = [first]
            $0.outbox = [.queue(message("m1", [first])), .remove("m1")]
        }
        #expect(try writer.reader.queuedMessages().isEmpty)
        #expect(try writer.reader.events(since: .distantPast).count == 1)
    }

    @Test("a poll that cannot be written queues nothing")
    func together() throws {
        let first = event("e1")
        try writer.reader.queue.write { db in
            try db.execute(
                sql: "CREATE TRIGGER full BEFORE INSERT ON message BEGIN SELECT zeroblob(2000000000); END")
        }
        #expect(throws: Unwritten.self) { try record([first], message("m1", [first])) }
        #expect(try writer.reader.events(since: .distantPast).isEmpty)
        #expect(try again().size().samples == 0)
    }

    @Test("what was held becomes one, in the place of the first and with its events in their order")
    func joined() throws {
        let events = (1...3).map { event("e\($0)", at: Double($0)) }
        try record(
            events, message("m1", [events[0]], held: true), message("m2", [events[1]], held: true),
            message("m3", [events[2]]))
        var whole = message("both", [events[0], events[1]], at: 9).queued
        whole.isHeld = false
        try writer.commit { [whole] in $0.outbox = [.join(["m1", "m2"], into: whole)] }
        let queued = try again().queuedMessages()
        #expect(queued.map(\.id) == ["both", "m3"])
        #expect(queued[0] == whole)
        #expect(try again().contents(ofMessage: "both") == .init(events: [events[0], events[1]]))
    }

    @Test("what was held becomes one in the place of the first that is still there")
    func joinedPartly() throws {
        let events = (1...3).map { event("e\($0)", at: Double($0)) }
        try record(events, message("m2", [events[1]], held: true), message("m3", [events[2]], held: true))
        let whole = message("all", events, at: 9).queued
        try writer.commit { $0.outbox = [.join(["m1", "m2", "m3"], into: whole)] }
        #expect(try again().queuedMessages().map(\.id) == ["all"])
        #expect(try again().contents(ofMessage: "all")?.events == [events[1], events[2]])
    }

    @Test("what happened to a message before it could be written is written in its order")
    func unsaved() throws {
        let events = (1...2).map { event("e\($0)", at: Double($0)) }
        var later = message("m1", [events[0]]).queued
        (later.attempts, later.notBefore, later.lastError) = (2, moment(60), "503")
        try writer.commit {
            $0.events = events
            $0.outbox = [
                .queue(message("m1", [events[0]])), .postpone(later), .queue(message("m2", [events[1]])),
                .remove("m2"),
            ]
        }
        #expect(try again().queuedMessages() == [later])
    }

    @Test("a message whose note cannot be decoded says nothing")
    func damagedNote() throws {
        let note = Note(kind: .gap, title: "t", at: moment(), host: "box")
        let message = OutgoingMessage(id: "m", channel: "ops", createdAt: moment(), events: [], note: note)
        try record([], message)
        #expect(try writer.reader.contents(ofMessage: "m") == message.contents)
        try writer.queue.write { try $0.execute(sql: "UPDATE message SET note = ?", arguments: [Data("{}".utf8)]) }
        #expect(try writer.reader.contents(ofMessage: "m") == nil)
        #expect(try writer.reader.queuedMessages().map(\.isNote) == [true])
    }

    @Test("a note comes back with the events that it is stored beside")
    func noteWithEvents() throws {
        let first = event("e1")
        let note = Note(kind: .gap, title: "t", lines: ["l"], at: moment(), host: "box", events: [first])
        let message = OutgoingMessage(id: "m", channel: "ops", createdAt: moment(), events: [first], note: note)
        try record([first], message)
        #expect(try writer.reader.contents(ofMessage: "m") == message.contents)
    }

    @Test("one that was held alone keeps its id")
    func joinedAlone() throws {
        let first = event("e1")
        try record([first], message("m1", [first], held: true))
        try writer.commit { $0.outbox = [.join(["m1"], into: message("m1", [first], at: 5).queued)] }
        #expect(try again().queuedMessages() == [message("m1", [first], at: 5).queued])
    }

    @Test("who was notified of an alert is kept until it ends")
    func notified() throws {
        let key = event("e1").key
        try writer.commit { $0.notified = [key: ["ops", "phone"]] }
        #expect(try again().notifiedChannels() == [key: ["ops", "phone"]])
        try writer.commit { $0.notified = [key: []] }
        #expect(try again().notifiedChannels() == [:])
    }

    @Test("events that wait to be sent outlive their retention")
    func retention() async throws {
        let events = (1...3).map { event("e\($0)", at: Double($0)) }
        try record(events, message("m1", [events[0]]))
        try writer.commit { $0.logged = events.map(\.id) }
        var retention = Retention()
        retention.candles = .hours(1)
        _ = try await writer.prune(to: retention, now: moment(86_400))
        #expect(try writer.reader.events(since: .distantPast).map(\.id) == ["e1", "e3"])
        #expect(try writer.reader.contents(ofMessage: "m1")?.events.map(\.id) == ["e1"])
    }

    @Test("the outbox comes along when a damaged database is replaced")
    func salvaged() throws {
        let first = event("e1")
        try record([first], message("m1", [first]))
        try writer.replace(damagedBy: HistoryError(.corrupt, "read", folder.database, cause: "test"))
        #expect(try again().queuedMessages().map(\.id) == ["m1"])
        #expect(try again().contents(ofMessage: "m1")?.events == [first])
    }
}
