import Engine
import Foundation
import Markets
import Testing

@testable import History

@Suite struct CommandDatabaseTests {
    @Test("a silence is kept beside the daemon, which notices; the same one is prolonged")
    func besideTheDaemon() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        _ = try writer.changedByOthers()
        #expect(try writer.changedByOthers() == false)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        #expect(try writer.changedByOthers() == false)
        let desk = try CommandDatabase(at: folder.database)
        try desk.silence(rule: "r'\"\n", market: market("bitcoin"), from: moment(), until: moment(60))
        #expect(try writer.changedByOthers())
        #expect(try writer.changedByOthers() == false)
        try desk.silence(rule: "r'\"\n", market: market("bitcoin"), from: moment(10), until: moment(600))
        try desk.silence(rule: nil, market: nil, from: moment(10), until: moment(20))
        let silences = try writer.reader.silences()
        #expect(silences.map(\.until) == [moment(600), moment(20)])
        #expect(silences.map(\.rule) == ["r'\"\n", nil])
        #expect(silences.first?.market == market("bitcoin"))
    }

    @Test("unsilence ends those of the rule; the daemon forgets what has ended, not what was prolonged meanwhile")
    func ends() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        let desk = try CommandDatabase(at: folder.database)
        for rule in ["a", "b"] { try desk.silence(rule: rule, market: nil, from: moment(), until: moment(60)) }
        #expect(try desk.end(rule: "a", at: moment(5)) == 1)
        #expect(try desk.end(rule: "a", at: moment(5)) == 0)
        #expect(try writer.reader.silences().map(\.until) == [moment(5), moment(60)])
        let ids = try writer.reader.silences().map(\.id)
        try desk.silence(rule: "b", market: nil, from: moment(50), until: moment(600))
        try writer.commit { $0.endedSilences = ids.map { (id: $0, at: moment(61)) } }
        #expect(try writer.reader.silences().map(\.rule) == ["b"])
        #expect(try desk.end(rule: nil, at: moment(70)) == 1)
    }

    @Test("there is nothing to silence where nothing was ever recorded")
    func absent() throws {
        let folder = try TemporaryFolder()
        #expect(throws: HistoryError.self) { try CommandDatabase(at: folder.database) }
    }
}
