import Engine
import Foundation
import GRDB
import Markets
import TestSupport
import Testing

@testable import History

@Suite struct RestoreTests {
    private let key = AlertKey(rule: "r", market: market("bitcoin"))

    /// A folder with a database of two polls, a backup of it, and a third poll.
    private func folderWithBackup() throws -> (folder: TemporaryFolder, backup: String) {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for second in [0.0, 60] { try writer.commit(poll(second, sample("a", "1", quotedAt: second))) }
        let backup = folder.path + "/copy.db"
        try writer.reader.backUp(to: backup)
        try writer.commit(poll(120, sample("a", "3", quotedAt: 120)))
        try writer.close()
        return (folder, backup)
    }

    private func files(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func fault(_ body: () throws -> Void) -> HistoryError? {
        do {
            try body()
            return nil
        } catch { return error as? HistoryError }
    }

    private func damage(_ path: String, _ change: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        change(&bytes)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    @Test("the backup is in the database's place, the old one lies beside it with its log, and recording goes on")
    func restores() throws {
        let folder = try TemporaryFolder()
        let killed = folder.path + "/killed.db"
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try writer.reader.backUp(to: folder.path + "/copy.db")
        try writer.commit(poll(60, sample("a", "2", quotedAt: 60)))
        // As a kill leaves them: the log still holds the newest poll.
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: killed + suffix)
        }
        let restored = try HistoryReader.restore(folder.path + "/copy.db", to: killed)
        #expect(restored.samples == 1 && restored.newest == moment(0))
        let aside = try #require(restored.replaced)
        #expect(aside.wholeMatch(of: /.*killed\.db\.replaced-\d{8}T\d{6}Z/) != nil)
        #expect(try HistoryReader(at: aside).size().samples == 2, "with its log")
        #expect(!FileManager.default.fileExists(atPath: killed + "-wal"))
        let next = try HistoryWriter(at: killed)
        #expect(next.fault == nil && next.takeQuarantined().isEmpty && next.installation != writer.installation)
        try next.commit(poll(120, sample("a", "3", quotedAt: 120)))
        #expect(try next.size().samples == 2)
    }

    @Test("what was announced since the backup is known, and of the outbox only what still waits is sent")
    func states() throws {
        let folder = try TemporaryFolder()
        let backup = folder.path + "/copy.db"
        let writer = try HistoryWriter(at: folder.database)
        func message(_ id: String, _ events: AlertEvent...) -> OutboxChange {
            .queue(OutgoingMessage(id: id, channel: "ops", createdAt: moment(), events: events))
        }
        try writer.commit(poll(0)) {
            $0.events = [event("before")]
            $0.outbox = [message("sent", event("before")), message("waits", event("before"))]
        }
        try CommandDatabase(at: folder.database).silence(rule: "old", market: nil, from: moment(), until: moment(999))
        try writer.reader.backUp(to: backup)
        try CommandDatabase(at: folder.database).end(rule: "old", at: moment(1))
        let alert = Alert(
            state: .firing(.init(since: moment(60), lastNotified: moment(60))), condition: "above 10", announcements: 4)
        try writer.commit(poll(60)) {
            $0.alerts[key] = alert
            $0.notified[key] = ["ops"]
            $0.events = [event("since", at: 60)]
            $0.outbox = [.remove("sent"), message("new", event("since"))]
            $0.digest = moment(30)
        }
        _ = try writer.countRequests(7, of: "test", in: "2026-11")
        try writer.close()
        let restored = try HistoryReader.restore(backup, to: folder.database)
        #expect(restored.continuesStates && restored.droppedMessages == 0)
        let reader = try HistoryReader(at: folder.database)
        #expect(try reader.alerts() == [key: alert])
        #expect(try reader.notifiedChannels() == [key: ["ops"]])
        #expect(try reader.events(since: .distantPast).map(\.id) == ["before", "since"])
        #expect(try reader.unloggedEvents().map(\.id) == ["since"])
        #expect(try reader.queuedMessages().map(\.id) == ["waits", "new"])
        #expect(try reader.queuedMessages().map { $0.events.map(\.id) } == [["before"], ["since"]])
        #expect(try reader.silences().map(\.until) == [moment(1)])
        #expect(try reader.lastDigest() == moment(30))
        #expect(try HistoryWriter(at: folder.database).requests(of: "test", in: "2026-11") == 7)
    }

    @Test(
        "without a later state of the same history, alerts are those of the backup, and its queued messages are dropped",
        arguments: ["none", "another history", "an older copy", "damaged"])
    func ownStates(replaced: String) throws {
        let folder = try TemporaryFolder()
        let (target, backup) = (folder.path + "/target.db", folder.path + "/copy.db")
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        if replaced == "an older copy" { try writer.reader.backUp(to: target) }
        let alert = Alert(
            state: .firing(.init(since: moment(60), lastNotified: moment(60))), condition: "above 10", announcements: 1)
        try writer.commit(poll(60)) {
            $0.alerts[key] = alert
            $0.events = [event("e")]
            $0.outbox = [
                .queue(OutgoingMessage(id: "m", channel: "ops", createdAt: moment(), events: [event("e")]))
            ]
        }
        try writer.reader.backUp(to: backup)
        if replaced == "another history" {
            let other = try HistoryWriter(at: target)
            try other.commit(poll(9999, sample("z", "1", quotedAt: 9999)))
            try other.close()
        }
        if replaced == "damaged" { try Data(repeating: 0xA5, count: 9000).write(to: URL(fileURLWithPath: target)) }
        let restored = try HistoryReader.restore(backup, to: target)
        #expect(!restored.continuesStates && restored.droppedMessages == 1)
        #expect((restored.replaced == nil) == (replaced == "none"))
        #expect(restored.replacesOtherHistory == (replaced == "another history"))
        let reader = try HistoryReader(at: target)
        #expect(try reader.alerts() == [key: alert])
        #expect(try reader.queuedMessages().isEmpty && reader.unloggedEvents().isEmpty)
        #expect(try HistoryWriter(at: target).takeQuarantined().isEmpty)
    }

    @Test("over a database whose states can be read, but are damaged, the backup is restored as it was")
    func damagedStates() throws {
        let (folder, backup) = try folderWithBackup()
        try DatabaseQueue(path: folder.database).write {
            try $0.execute(sql: "INSERT INTO silence (rule, since, until) VALUES ('r', 'x', 'y')")
        }
        #expect(try !HistoryReader.restore(backup, to: folder.database).continuesStates)
        #expect(try HistoryReader(at: folder.database).silences().isEmpty)
    }

    @Test("what is no usable backup is refused by name, the database stays, and nothing is left behind")
    func refused() throws {
        let (folder, backup) = try folderWithBackup()
        let wrong = ["text", "empty", "cut", "newer", "other", "schema"].map { folder.path + "/" + $0 }
        for copy in wrong { try FileManager.default.copyItem(atPath: backup, toPath: copy) }
        try damage(wrong[0]) { $0 = Data("hello\n".utf8) }
        try damage(wrong[1]) { $0 = Data() }
        try damage(wrong[2]) { $0 = $0.prefix(50_000) }
        for (copy, sql) in [
            (wrong[3], "INSERT INTO grdb_migrations VALUES ('99: later')"), (wrong[4], "PRAGMA application_id = 7"),
            (wrong[5], "DROP TABLE feed_note"),
        ] { try DatabaseQueue(path: copy).writeWithoutTransaction { try $0.execute(sql: sql) } }
        let bytes = FileManager.default.contents(atPath: folder.database)
        let before = try Set(files(folder) + ["history.db.lock"])
        func kind(_ file: String) -> HistoryError.Kind? {
            fault { _ = try HistoryReader.restore(file, to: folder.database) }?.kind
        }
        #expect(wrong.map(kind) == [.foreign, .foreign, .corrupt, .newerSchema, .foreign, .corrupt])
        #expect(kind(folder.path + "/absent") == .other)
        let own = ["", "-wal", ".lock"].map { folder.database + $0 } + [folder.path]
        #expect(own.map(kind) == Array(repeating: .invalidTarget, count: 4))
        #expect(try Set(files(folder)) == before)
        #expect(FileManager.default.contents(atPath: folder.database) == bytes)
    }

    @Test("a daemon keeps it away, by its pid and with what to do")
    func besideDaemon() throws {
        let (folder, backup) = try folderWithBackup()
        // The lock is another process's business: record locks do not exclude their own process.
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        holder.arguments = [
            "-c",
            """
            import fcntl, sys, time
            f = open(sys.argv[1], "w"); fcntl.lockf(f, fcntl.LOCK_EX); print("held", flush=True); time.sleep(60)
            """, folder.database + ".lock",
        ]
        let output = Pipe()
        holder.standardOutput = output
        guard (try? holder.run()) != nil else { return print("skipped: no python3 to hold a lock") }
        _ = output.fileHandleForReading.availableData
        let refusal = fault { _ = try HistoryReader.restore(backup, to: folder.database) }
        holder.terminate()
        #expect(
            refusal?.description
                == "replace \(folder.database): a daemon (pid \(holder.processIdentifier)) uses it (systemctl stop pricewatch, or end it: kill \(holder.processIdentifier))"
        )
        #expect(refusal?.kind == .other)
        #expect(try HistoryReader(at: folder.database).size().samples == 3)
    }

    @Test("the new database has owner and mode of what it replaces, else those of its folder and 0640")
    func ownerAndMode() throws {
        func facts(_ path: String) -> [UInt32] {
            var status = stat()
            stat(path, &status)
            return [status.st_uid, status.st_gid, status.st_mode & 0o7777]
        }
        let (folder, backup) = try folderWithBackup()
        let (own, group): (UInt32, UInt32) = geteuid() == 0 ? (65_534, 65_534) : (geteuid(), getegid())
        chmod(folder.database, 0o600)
        chown(folder.database, own, group)
        _ = try HistoryReader.restore(backup, to: folder.database)
        #expect(facts(folder.database) == [own, group, 0o600])
        #expect(facts(folder.database + ".lock") == [own, group, 0o640])
        let fresh = folder.path + "/fresh"
        mkdir(fresh, 0o755)
        chown(fresh, own, group)
        _ = try HistoryReader.restore(backup, to: fresh + "/history.db")
        #expect(facts(fresh + "/history.db") == [own, group, 0o640])
        #expect(facts(fresh + "/history.db.lock") == [own, group, 0o640])
        _ = try HistoryReader.restore(backup, to: folder.path + "/new/folder/history.db")
        #expect(facts(folder.path + "/new/folder/history.db")[2] == 0o640)
    }

    @Test("a linked database is replaced behind the link")
    func linked() throws {
        let (folder, backup) = try folderWithBackup()
        let link = folder.path + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.database)
        let aside = try #require(try HistoryReader.restore(backup, to: link).replaced)
        #expect(aside.hasPrefix(folder.database + ".replaced-"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == folder.database)
        #expect(try HistoryReader(at: link).size().samples == 2)
    }

    @Test("a disk that fills leaves the old database in place and nothing else; with room it works")
    func fullDisk() throws {
        guard let disk = try SmallDisk() else { return }
        let writer = try HistoryWriter(at: disk.database)
        var record = poll(0)
        record.samples = (0..<2000).map { sample("m\($0)", "1.5", quotedAt: 0) }
        try writer.commit(record)
        let (folder, backup) = try folderWithBackup()
        try writer.reader.backUp(to: folder.path + "/large.db")
        try writer.close()
        disk.fill()
        let before = try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted()
        for file in [backup, folder.path + "/large.db"] {
            let refusal = fault { _ = try HistoryReader.restore(file, to: disk.database) }
            #expect(refusal?.kind == .unwritable)
            #expect(refusal?.hint == "the database is as it was")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted() == before)
        #expect(try HistoryReader(at: disk.database).size().samples == 2000)
        try disk.empty()
        #expect(try HistoryReader.restore(backup, to: disk.database).samples == 2)
    }
}
