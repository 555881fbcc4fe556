import Engine
import Foundation
import GRDB
import Markets
import TestSupport
import Testing

@testable import History

@Suite struct DatabaseFileTests {
    private func kind(_ open: () throws -> Void) -> HistoryError.Kind? {
        do {
            try open()
            return nil
        } catch {
            return (error as? HistoryError)?.kind
        }
    }

    @Test("a second daemon is refused; it learns who holds the database")
    func locked() throws {
        let folder = try TemporaryFolder()
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let script = """
            import fcntl, sys
            f = open(sys.argv[1], "w"); fcntl.lockf(f, fcntl.LOCK_EX); print("held", flush=True); sys.stdin.read()
            """
        holder.arguments = ["-c", script, folder.database + ".lock"]
        let (input, output) = (Pipe(), Pipe())
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        _ = output.fileHandleForReading.availableData
        #expect(kind { _ = try HistoryWriter(at: folder.database) } == .locked(pid: holder.processIdentifier))
        #expect(DaemonLock.holder(of: folder.database) == holder.processIdentifier)
        try input.fileHandleForWriting.close()
        holder.waitUntilExit()
        #expect(DaemonLock.holder(of: folder.database) == nil)
        #expect(kind { _ = try HistoryWriter(at: folder.database) } == nil)
    }

    @Test("the holder may ask for the holder, and goes on holding")
    func ownLock() throws {
        let folder = try TemporaryFolder()
        let lock = try DaemonLock(for: folder.database)
        #expect(DaemonLock.holder(of: folder.database) == getpid())
        let attempt = """
            import fcntl, sys
            try: fcntl.lockf(open(sys.argv[1], "r+"), fcntl.LOCK_EX | fcntl.LOCK_NB); print("free")
            except OSError: print("held")
            """
        #expect(try Python.run(["-c", attempt, folder.database + ".lock"]).output == "held\n")
        withExtendedLifetime(lock) {}
    }

    @Test("each commit is synced, so that a power loss takes back nothing that was announced")
    func synced() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseFile.openForWriting(folder.database, installation: "i", .immediateError)
        let full: Int64 = 2
        #expect(try queue.read { try $0.value("PRAGMA synchronous") } == full)
        let beside = try DatabaseFile.openBesideDaemon(folder.database)
        #expect(try beside.read { try $0.value("PRAGMA synchronous") } == full)
    }

    @Test("a first start that was killed before its tables were there is made up for by the next")
    func killedAtFirstStart() throws {
        let folder = try TemporaryFolder()
        let killed = try DatabaseQueue(path: folder.database)
        try killed.write { db in
            try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        }
        try killed.close()
        #expect(kind { _ = try HistoryWriter(at: folder.database) } == nil)
    }

    @Test(
        "a first start that lost power before its tables were there is made up for; a stranger's is left to its owner",
        arguments: [(0, true), (1, true), (0, false)] as [(UInt32, Bool)])
    func lostPowerAtFirstStart(pages: UInt32, isOurs: Bool) throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.database)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA user_version = 1; PRAGMA application_id = \(isOurs ? 0 : 0x4142_4344)")
        }
        try queue.close()
        // The header of a rollback journal: of a database of `pages` pages, none of them changed.
        var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
        for number: UInt32 in [0, 1, pages, 512, 4096] { withUnsafeBytes(of: number.bigEndian) { journal += $0 } }
        journal.append(Data(count: 512 - journal.count))
        try journal.write(to: URL(fileURLWithPath: folder.database + "-journal"))
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        if isOurs {
            let writer = try HistoryWriter(at: folder.database)
            #expect(writer.fault == nil)
            try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
            #expect(try writer.reader.size().samples == 1)
        } else {
            #expect(kind { _ = try HistoryWriter(at: folder.database) } == .foreign)
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
        }
    }

    @Test("a null in the list of migrations is damage: readers say so, the daemon sets the file aside")
    func nullMigration() throws {
        let folder = try TemporaryFolder()
        try HistoryWriter(at: folder.database).close()
        let damaged = try DatabaseQueue(path: folder.database)
        try damaged.write { db in
            try db.execute(
                sql: """
                    DROP TABLE grdb_migrations;
                    CREATE TABLE grdb_migrations (identifier TEXT);
                    INSERT INTO grdb_migrations VALUES (NULL);
                    """)
        }
        try damaged.close()
        #expect(kind { _ = try HistoryReader(at: folder.database) } == .corrupt)
        #expect(kind { _ = try HistoryWriter(at: folder.database) } == nil)
    }

    @Test("nothing recorded yet is not an error of the disk")
    func absent() throws {
        let folder = try TemporaryFolder()
        #expect(kind { _ = try HistoryReader(at: folder.database) } == .absent)
    }

    @Test("a stranger's database is refused and left as it is")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let stranger = try DatabaseQueue(path: folder.database)
        try stranger.write { try $0.execute(sql: "CREATE TABLE theirs (x)") }
        try stranger.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        #expect(kind { _ = try HistoryWriter(at: folder.database) } == .foreign)
        #expect(kind { _ = try HistoryReader(at: folder.database) } == .foreign)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    }

    @Test("a database of a newer release is refused and left as it is")
    func newer() throws {
        let folder = try TemporaryFolder()
        var writer: HistoryWriter? = try HistoryWriter(at: folder.database)
        try writer?.queue.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99: from the future')")
        }
        try writer?.close()
        writer = nil
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        #expect(kind { _ = try HistoryWriter(at: folder.database) } == .newerSchema)
        #expect(kind { _ = try HistoryReader(at: folder.database) } == .newerSchema)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    }

    @Test("a reader leaves a damaged file as it is, and says so")
    func corrupt() throws {
        let folder = try TemporaryFolder()
        try Data((0..<8192).map { _ in UInt8.random(in: 0...255) }).write(to: URL(fileURLWithPath: folder.database))
        #expect(kind { _ = try HistoryReader(at: folder.database) } == .corrupt)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["history.db"])
    }

    @Test("a power loss in a checkpoint of the first page loses nothing", arguments: [512, 4096, 15_872])
    func tornFirstPage(zeros: Int) throws {
        // Of a page some sectors may have arrived.
        let copy = try log(beside: Data(count: zeros) + Data(repeating: 7, count: zeros == 512 ? 3584 : 0))
        #expect(try HistoryReader(at: copy.database).size().samples == 1)
        let next = try HistoryWriter(at: copy.database)
        try next.commit(poll(60, sample("a", "2", quotedAt: 60)))
        #expect(next.quarantinedDatabases().isEmpty)
        #expect(try next.size().samples == 2)
    }

    /// A folder with a log that holds a whole database, and these bytes in place of the database.
    private func log(beside bytes: Data) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let copy = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try FileManager.default.copyItem(atPath: folder.database + "-wal", toPath: copy.database + "-wal")
        try bytes.write(to: URL(fileURLWithPath: copy.database))
        try writer.close()
        return copy
    }

    @Test("no reader takes the log away from a database that lost its beginning", arguments: [true, false])
    func logBeside(isEmpty: Bool) throws {
        let rest = isEmpty ? Data() : Data(repeating: 7, count: 4096)
        let copy = try log(beside: rest)
        let log = try #require(FileManager.default.contents(atPath: copy.database + "-wal"))
        #expect(log.count > 4096)
        #expect(kind { _ = try HistoryReader(at: copy.database) } == .corrupt)
        #expect(kind { _ = try CommandDatabase(at: copy.database) } == .corrupt)
        #expect(kind { _ = try CommandDatabase(at: copy.database) } == .corrupt)
        #expect(FileManager.default.contents(atPath: copy.database + "-wal") == log)
        #expect(FileManager.default.contents(atPath: copy.database) == rest)
    }

    @Test("a header of a version that no release writes is damage, no lack of permission", arguments: [18, 47])
    func unknownVersion(place: Int) throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try writer.close()
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: folder.database + suffix) }
        var bytes = try #require(FileManager.default.contents(atPath: folder.database))
        bytes[place] ^= 0x40
        try bytes.write(to: URL(fileURLWithPath: folder.database))
        let next = try HistoryWriter(at: folder.database)
        #expect(next.quarantinedDatabases().count == 1)
        try next.commit(poll(60, sample("a", "2", quotedAt: 60)))
    }

    @Test("a log whose database is gone is kept under a dated name")
    func logAlone() throws {
        let folder = try TemporaryFolder()
        let copy = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try FileManager.default.copyItem(atPath: folder.database + "-wal", toPath: copy.database + "-wal")
        let log = FileManager.default.contents(atPath: copy.database + "-wal")
        try HistoryWriter(at: copy.database).commit(poll(60, sample("a", "2", quotedAt: 60)))
        let kept = try FileManager.default.contentsOfDirectory(atPath: copy.path).filter {
            $0.hasPrefix("history.db.replaced-") && $0.hasSuffix("-wal")
        }
        #expect(kept.count == 1)
        #expect(kept.first.flatMap { FileManager.default.contents(atPath: copy.path + "/" + $0) } == log)
        withExtendedLifetime(writer) {}
    }

    @Test("a reader finds what a writer recorded: while it is open, after it closed, and without the WAL's files")
    func readers() throws {
        let folder = try TemporaryFolder()
        var writer: HistoryWriter? = try HistoryWriter(at: folder.database)
        try writer?.commit(poll(0, sample("a", "1", quotedAt: 0)))
        #expect(try HistoryReader(at: folder.database).size().samples == 1)
        try writer?.close()
        writer = nil
        #expect(
            FileManager.default.fileExists(atPath: folder.database + "-wal"), "kept for readers who may not make it")
        #expect(try HistoryReader(at: folder.database).size().samples == 1)
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: folder.database + suffix) }
        #expect(try HistoryReader(at: folder.database).size().samples == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.database + "-wal"))
    }

    @Test("its files are readable for their group and writable for one, also where they were made before")
    func modes() throws {
        let folder = try TemporaryFolder()
        for before in [0, 0o666, 0o600] as [mode_t] {
            let writer = try HistoryWriter(at: folder.database)
            try writer.commit(poll(Double(before), sample("a", "1", quotedAt: Double(before))))
            for suffix in ["", "-wal", "-shm", ".lock"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.database + suffix)
                let expected = before == 0o600 ? 0o600 : 0o640
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == expected, "\(suffix)")
            }
            try writer.close()
            let next: mode_t = before == 0 ? 0o666 : 0o600
            for suffix in ["", "-wal", "-shm", ".lock"] { chmod(folder.database + suffix, next) }
        }
    }
}
