import Engine
import Foundation
import GRDB
import Markets
import Testing

@testable import History

@Suite struct ReplacementTests {
    private func damage(_ path: String, _ change: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        change(&bytes)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private let firing = [
        AlertKey(rule: "r", market: market("a")): Alert(
            state: .firing(.init(since: moment(), lastNotified: moment())), condition: "above 1", announcements: 1)
    ]

    /// A closed database of 200 polls whose alert fires.
    private func filled(_ folder: TemporaryFolder) throws {
        let writer = try HistoryWriter(at: folder.database)
        for step in 0..<200 {
            try writer.commit(
                poll(Double(step), sample("a", "1", quotedAt: Double(step)), sample("b", "2", quotedAt: Double(step))))
        }
        try writer.commit(poll(300)) { $0.alerts = firing }
        try writer.close()
    }

    @Test("a file of random bytes is set aside with all its bytes, and a new database begun")
    func randomBytes() throws {
        let folder = try TemporaryFolder()
        let bytes = Data((0..<8192).map { _ in UInt8.random(in: 0...255) })
        try bytes.write(to: URL(fileURLWithPath: folder.database))
        let writer = try HistoryWriter(at: folder.database)
        let replaced = try #require(writer.takeQuarantined().first)
        #expect(writer.takeQuarantined().isEmpty)
        #expect(writer.quarantinedDatabases() == [replaced.path])
        #expect(try Data(contentsOf: URL(fileURLWithPath: replaced.path)) == bytes)
        #expect(replaced.path.hasPrefix(folder.database + ".damaged-2"))
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        #expect(try HistoryReader(at: folder.database).size().samples == 1)
        try FileManager.default.removeItem(atPath: replaced.path)
        #expect(writer.quarantinedDatabases().isEmpty, "acknowledged")
    }

    @Test("a truncated database is set aside", arguments: [50, 3000, 9000])
    func truncated(length: Int) throws {
        let folder = try TemporaryFolder()
        try filled(folder)
        try damage(folder.database) { $0 = $0.prefix(length) }
        let writer = try HistoryWriter(at: folder.database)
        #expect(writer.quarantinedDatabases().count == 1)
        try writer.commit(poll(400, sample("a", "1", quotedAt: 400)))
        #expect(try writer.size().samples == 1)
    }

    @Test("a database that was cut off to nothing is no first start")
    func emptied() throws {
        let folder = try TemporaryFolder()
        try filled(folder)
        try damage(folder.database) { $0 = Data() }
        #expect(try HistoryWriter(at: folder.database).quarantinedDatabases().count == 1)
    }

    @Test("an emptied database keeps its log where it is set aside, and what the log holds of alerts goes on")
    func emptiedBesideLog() throws {
        let folder = try TemporaryFolder()
        let killed = try HistoryWriter(at: folder.database)
        try killed.commit(poll(0, sample("a", "1", quotedAt: 0))) { $0.alerts = firing }
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.database + "-wal", toPath: copy.database + "-wal")
        try Data().write(to: URL(fileURLWithPath: copy.database))
        let log = FileManager.default.contents(atPath: copy.database + "-wal")
        let writer = try HistoryWriter(at: copy.database)
        let aside = try #require(writer.quarantinedDatabases().first)
        #expect(FileManager.default.contents(atPath: aside + "-wal") == log)
        #expect(try writer.reader.alerts().count == 1)
        let samples = try DatabaseQueue(path: aside).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sample") }
        #expect(samples == 1, "sqlite3 opens it with its log")
        withExtendedLifetime(killed) {}
    }

    @Test("damage that shows only when a poll is written: the poll is the first of the new database, alerts stand")
    func whileRunning() throws {
        let folder = try TemporaryFolder()
        try filled(folder)
        let root = try DatabaseQueue(path: folder.database).read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'sample'") ?? 0
        }
        let writer = try HistoryWriter(at: folder.database)
        #expect(writer.quarantinedDatabases().isEmpty)
        let handle = try #require(FileHandle(forWritingAtPath: folder.database))
        try handle.seek(toOffset: UInt64((root - 1) * 4096))
        try handle.write(contentsOf: Data(repeating: 0x5A, count: 4096))
        try handle.close()
        let result = try writer.commit(poll(400, sample("a", "7", quotedAt: 400)))
        #expect(result.quarantined.map(\.path) == writer.quarantinedDatabases())
        #expect(result.quarantined.count == 1)
        #expect(try writer.size().samples == 1)
        #expect(try writer.reader.alerts().count == 1, "what was announced is not announced again")
        #expect(try writer.reader.newest(in: .init(usd()))[market("a")]?.newest.price == price("7"))
    }

    @Test("an unclean end is followed by a check, which finds what no poll would touch")
    func uncleanEnd() async throws {
        let folder = try TemporaryFolder()
        try filled(folder)
        let copy = try TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: copy.database + suffix)
        }
        #expect(try await HistoryWriter(at: copy.database).checkAfterUncleanEnd() == nil, "a clean end needs none")
        let index = try await DatabaseQueue(path: folder.database).read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'event_by_alert'") ?? 0
        }
        try damage(copy.database) { bytes in
            for place in 0..<4096 { bytes[(index - 1) * 4096 + place] = 0x5A }
        }
        // A log that was not folded in: that of a writer that was never closed.
        let other = try TemporaryFolder()
        let killed = try HistoryWriter(at: other.database)
        try Data(repeating: 0, count: 4152).write(to: URL(fileURLWithPath: copy.database + "-wal"))
        withExtendedLifetime(killed) {}
        let writer = try HistoryWriter(at: copy.database)
        #expect(await writer.checkAfterUncleanEnd()?.kind == .corrupt)
        #expect(try writer.commit(poll(500, sample("a", "1", quotedAt: 500))).quarantined.count == 1)
    }

    @Test("a text is somebody else's, and so is another program's damaged database")
    func strangers() throws {
        let folder = try TemporaryFolder()
        try Data("root:x:0:0:root\nünïcode:".utf8).write(to: URL(fileURLWithPath: folder.database))
        #expect(throws: HistoryError.self) { try HistoryWriter(at: folder.database) }
        #expect(FileManager.default.fileExists(atPath: folder.database))
        let other = try TemporaryFolder()
        let theirs = try DatabaseQueue(path: other.database)
        try theirs.write {
            try $0.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(20000)); PRAGMA application_id = 7")
        }
        try theirs.close()
        try damage(other.database) { $0 = $0.prefix(9000) }
        do {
            _ = try HistoryWriter(at: other.database)
            Issue.record("opened a stranger's database")
        } catch { #expect(error.kind == .foreign) }
        #expect(QuarantinedDatabase.found(beside: other.database).isEmpty)
    }
}
