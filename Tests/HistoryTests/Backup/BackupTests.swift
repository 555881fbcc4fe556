import Engine
import Foundation
import GRDB
import Markets
import Testing

@testable import History

@Suite struct BackupTests {
    @Test("a copy made while polls go on holds whole polls, and opens as a database of its own")
    func whileWriting() async throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for step in 0..<200 {
            try writer.commit(
                poll(Double(step), sample("a", "1", quotedAt: Double(step)), sample("b", "2", quotedAt: Double(step))))
        }
        let writing = Task.detached {
            var step = 200.0
            while !Task.isCancelled {
                try writer.commit(poll(step, sample("a", "1", quotedAt: step), sample("b", "2", quotedAt: step)))
                step += 1
            }
        }
        let file = folder.path + "/copy.db"
        for _ in 0..<5 {
            try HistoryReader(at: folder.database).backUp(to: file)
            let copy = try HistoryReader(at: file)
            let found = try copy.reading {
                try Row.fetchOne(
                    $0,
                    sql: """
                        SELECT (SELECT count(*) FROM sample), (SELECT sum(samples) FROM poll),
                               (SELECT count(*) FROM poll WHERE samples <> 2)
                        """)
            }
            let row = try #require(found)
            #expect(row[0] as Int >= 400)
            #expect(row[0] as Int == row[1])
            #expect(row[2] as Int == 0)
        }
        writing.cancel()
        try await writing.value
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("copy") } == [
                "copy.db"
            ])
        let restored = try HistoryWriter(at: file)
        try restored.commit(poll(9999, sample("a", "3", quotedAt: 9999)))
    }

    @Test("a copy in the place of a killed daemon's database is not overwritten by what that one left in its log")
    func restoredBesideOldLog() throws {
        let folder = try TemporaryFolder()
        let (file, killed) = (folder.path + "/copy.db", folder.path + "/killed.db")
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try HistoryReader(at: folder.database).backUp(to: file)
        for step in 1..<50 { try writer.commit(poll(Double(step), sample("a", "2", quotedAt: Double(step)))) }
        // As a kill leaves them: the log still holds the newest polls.
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: killed + suffix)
        }
        try FileManager.default.removeItem(atPath: killed)
        try FileManager.default.moveItem(atPath: file, toPath: killed)
        #expect(try HistoryReader(at: killed).size().samples == 1)
        let restored = try HistoryWriter(at: killed)
        #expect(restored.fault == nil && restored.takeQuarantined().isEmpty)
        #expect(try restored.reader.size().samples == 1)
        try restored.commit(poll(99, sample("a", "3", quotedAt: 99)))
        #expect(try restored.reader.size().samples == 2)
        let aside = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("killed.db.replaced-") }
        #expect(aside.count == 2 && aside.contains { $0.hasSuffix("-wal") } && aside.contains { $0.hasSuffix("-shm") })
    }

    @Test("what a restored copy announces comes under ids of its own")
    func ownInstallation() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/copy.db"
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try writer.reader.backUp(to: file)
        let restored = try HistoryWriter(at: file)
        #expect(restored.installation != writer.installation)
        let name = restored.installation
        try restored.close()
        #expect(try HistoryReader(at: file).installation() == name)
    }

    @Test("what is no place for a copy is refused, and nothing is left behind")
    func refused() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        let reader = try HistoryReader(at: folder.database)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: folder.database)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        for target in [folder.database, folder.database + "-wal", folder.path, folder.path + "/link"] {
            #expect(throws: HistoryError.self) { try reader.backUp(to: target) }
        }
        #expect(throws: HistoryError.self) { try reader.backUp(to: folder.path + "/no/such/folder/x.db") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
    }

    @Test("a link under the name that its temporary file would have by the pid is not written through")
    func plantedLink() throws {
        let folder = try TemporaryFolder()
        let victim = folder.write("not to be touched", as: "victim")
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        let file = folder.path + "/copy.db"
        for name in ["partial", "tmp"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(file).\(getpid()).\(name)", withDestinationPath: victim)
        }
        try HistoryReader(at: folder.database).backUp(to: file)
        #expect(folder.text("victim") == "not to be touched")
        #expect(try HistoryReader(at: file).size().samples == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o640)
    }

    @Test("what a killed backup left is cleared away within the hour, what another is writing stays")
    func drafts() throws {
        let folder = try TemporaryFolder()
        _ = try HistoryWriter(at: folder.database)
        let dead = ["x.0123456789abcdef.tmp", "x.0123456789abcdef.tmp-journal"].map { folder.path + "/" + $0 }
        let living = folder.path + "/x.fedcba9876543210.tmp"
        for draft in dead + [living] { try Data([1]).write(to: URL(fileURLWithPath: draft)) }
        for draft in dead {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: draft)
        }
        try HistoryReader(at: folder.database).backUp(to: folder.path + "/x")
        for draft in dead { #expect(!FileManager.default.fileExists(atPath: draft)) }
        #expect(FileManager.default.fileExists(atPath: living))
    }
}

extension HistoryReader {
    /// From an asynchronous test GRDB would offer its asynchronous reading.
    fileprivate func reading<T>(_ question: (Database) throws -> T) throws -> T { try queue.read(question) }
}
