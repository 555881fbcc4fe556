import Foundation
import GRDB
import Markets
import Testing

@testable import Engine
@testable import History

@Suite struct WatchlistTests {
    private func rows(_ writer: HistoryWriter) throws -> [[Int64]] {
        try writer.queue.read {
            try Row.fetchAll($0, sql: "SELECT poll, series, watched FROM watch ORDER BY poll, series").map {
                [$0[0], $0[1], $0[2]]
            }
        }
    }

    private func watch(_ ids: String...) -> PollRecord {
        var record = poll(0)
        record.watched = WatchedMarkets(ids.map(market), currencies: .init(.usd))
        return record
    }

    @Test("a row where the watchlist changed, none where it did not, also across restarts")
    func changes() throws {
        let folder = try TemporaryFolder()
        for record in [watch("a", "b"), watch("b", "a"), watch("a"), watch("a", "b")] {
            let writer = try HistoryWriter(at: folder.database)
            try writer.commit(record)
            try writer.commit(record)
        }
        let writer = try HistoryWriter(at: folder.database)
        #expect(try rows(writer) == [[1, 1, 1], [1, 2, 1], [5, 2, 0], [7, 2, 1]])
    }
}
