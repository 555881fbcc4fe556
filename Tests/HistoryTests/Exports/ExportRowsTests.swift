import Engine
import Foundation
import Markets
import Testing

@testable import History

@Suite struct ExportRowsTests {
    private static let day = 86_400.0
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Two markets every ten minutes, one of them unconfirmed at every tenth poll; ids are 1 to `polls`.
    private func recorded(polls: Int) async throws -> HistoryWriter {
        let writer = try HistoryWriter(at: folder.database)
        for step in 0..<polls {
            if step % 20 == 0 { await Task.yield() }  // the tests beside it share two threads
            var other = sample("b", "2", quotedAt: Double(step) * 600)
            other.confirmed = step % 10 != 0
            try writer.commit(poll(Double(step) * 600, sample("a", "\(step + 1)", quotedAt: Double(step) * 600), other))
        }
        return writer
    }

    private func commit(_ export: StoredExport, to writer: HistoryWriter) throws {
        var commit = Commit()
        commit.exports = ["cluster": export]
        #expect(writer.commit(commit).fault == nil)
    }

    @Test("a restart knows how far an export is, and what waits")
    func remembered() async throws {
        let writer = try await recorded(polls: 5)
        try commit(StoredExport(address: "a", poll: 3, sent: 5, refused: 1), to: writer)
        let known = try writer.reader.exports(["cluster", "new"])
        #expect(known["cluster"]?.stored == StoredExport(address: "a", poll: 3, sent: 5, refused: 1))
        #expect(known["cluster"]?.pending == 4)
        #expect(known["cluster"]?.oldest == moment(1801))
        #expect(known["new"]?.stored == nil)
        #expect(known["new"]?.pending == 10)
    }

    @Test("a position beyond the newest poll is another database's")
    func otherDatabase() async throws {
        let writer = try await recorded(polls: 2)
        try commit(StoredExport(address: "a", poll: 900), to: writer)
        #expect(try writer.reader.exports(["cluster"])["cluster"]?.stored?.poll == 0)
    }

    @Test("pruning counts the confirmed samples that an export had not sent, and waits for none")
    func lost() async throws {
        let writer = try await recorded(polls: 576)
        try commit(StoredExport(address: "a", poll: 100), to: writer)
        let pruned = try await writer.prune(to: Retention(samples: .hours(48)), now: moment(4 * Self.day))
        #expect(pruned.polls == 288)
        // Polls 101 to 288 with two samples each; one of them unconfirmed in 19 polls: 101, 111 … 281.
        #expect(pruned.lost == ["cluster": 188 * 2 - 19])
        #expect(try writer.reader.exports(["cluster"])["cluster"]?.lost == 188 * 2 - 19)
        let again = try await writer.prune(to: Retention(samples: .hours(48)), now: moment(4 * Self.day))
        #expect(again.lost.isEmpty)
        // The commit of a position keeps the count.
        try commit(StoredExport(address: "a", poll: 500), to: writer)
        #expect(try writer.reader.exports(["cluster"])["cluster"]?.lost == 188 * 2 - 19)
        let rest = try await writer.prune(to: Retention(samples: .hours(24)), now: moment(4 * Self.day))
        #expect(rest.polls == 144)
        #expect(rest.lost.isEmpty)
    }

    @Test("the id of a forgotten poll is not used again, or an export would skip the next")
    func forgotten() async throws {
        let writer = try await recorded(polls: 2)
        try writer.backfill(backfillAnswer("past", 0, 600, (100, "1"), (200, "2")))
        try ForgetDatabase(at: folder.database).forget(market("past"), before: nil)
        try writer.commit(poll(1800, sample("a", "3", quotedAt: 1800)))
        let batch = try writer.reader.exportBatch(
            ExportRequest(export: ExportSettings(name: "cluster", address: "a"), after: 4), at: moment(2000))
        #expect(batch.samples.map(\.price) == [price("3")])
    }

    @Test("a database that replaces a damaged one is sent from its beginning")
    func replaced() async throws {
        let writer = try await recorded(polls: 3)
        try commit(StoredExport(address: "a", poll: 3, sent: 6), to: writer)
        try writer.replace(damagedBy: HistoryError(.corrupt, "read", folder.database, cause: "test"))
        #expect(try writer.reader.exports(["cluster"])["cluster"]?.stored == StoredExport(address: "a", sent: 6))
    }
}
