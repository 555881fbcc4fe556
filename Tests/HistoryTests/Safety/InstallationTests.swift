import Engine
import Foundation
import Markets
import Testing

@testable import History

/// What a database is told from others by, also where it cannot be read at first.
@Suite struct InstallationTests {
    private func block(_ folder: String) throws {
        try Data().write(to: URL(fileURLWithPath: folder))
    }

    @Test("a database that can be read at last has the name that it always had")
    func known() throws {
        let folder = try TemporaryFolder()
        let (place, aside) = (folder.path + "/place", folder.path + "/aside")
        let path = place + "/history.db"
        let first = try HistoryWriter(at: path)
        try first.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try first.close()
        try FileManager.default.moveItem(atPath: place, toPath: aside)
        try block(place)
        let writer = try HistoryWriter(at: path)
        #expect(writer.fault != nil)
        #expect(writer.installation != first.installation)
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.moveItem(atPath: aside, toPath: place)
        try writer.commit(poll(60, sample("a", "2", quotedAt: 60)))
        #expect(writer.installation == first.installation)
        #expect(try writer.reader.installation() == first.installation)
        try writer.close()
    }

    @Test("a database that can be made at last has the name that its events have already")
    func new() throws {
        let folder = try TemporaryFolder()
        let place = folder.path + "/place"
        try block(place)
        let writer = try HistoryWriter(at: place + "/history.db")
        let name = writer.installation
        try FileManager.default.removeItem(atPath: place)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        #expect(writer.installation == name)
        #expect(try writer.reader.installation() == name)
        try writer.close()
        #expect(try HistoryWriter(at: place + "/history.db").installation == name)
    }

    @Test("what was announced before is counted on")
    func announcements() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        let key = AlertKey(rule: "r", market: market("a"))
        for (told, kept) in [(5, 5), (1, 5), (6, 6)] {
            try writer.commit(poll(0)) { $0.alerts = [key: Alert(condition: "above 1", announcements: told)] }
            #expect(try writer.reader.alerts()[key]?.announcements == kept)
        }
    }
}
