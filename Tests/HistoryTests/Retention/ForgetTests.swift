import Engine
import Foundation
import GRDB
import Markets
import TestSupport
import Testing

@testable import History

@Suite struct ForgetTests {
    /// Three hours of polls every ten minutes, of two markets; the candles of the first two hours are written.
    private func threeHours(_ path: String) throws -> HistoryWriter {
        let writer = try HistoryWriter(at: path)
        for step in 0..<18 {
            let second = Double(step) * 600
            try writer.commit(
                poll(second, sample("a", "\(step + 1)", quotedAt: second), sample("b", "2", quotedAt: second)))
        }
        return writer
    }

    private func prices(_ id: String, _ reader: HistoryReader) throws -> [String] {
        var found: [String] = []
        try reader.samples(of: market(id), in: usd(), since: nil, until: nil) { found.append("\($0.price)") }
        return found
    }

    private func candles(_ id: String, _ reader: HistoryReader) throws -> [Candle] {
        var found: [Candle] = []
        try reader.candles(of: market(id), in: usd(), every: .hours(1), since: nil, until: nil) { found.append($0) }
        return found
    }

    @Test("all of a market goes, in every currency, and nothing of another")
    func everything() throws {
        let folder = try TemporaryFolder()
        let writer = try threeHours(folder.database)
        var euro = poll(10_800, sample("a", "0.9", quotedAt: 10_800))
        euro.currency = try Currency("eur")
        try writer.commit(euro)
        _ = try writer.backfill(backfillAnswer("a", -3600, -60, (-1800, "7"), (-900, "8")))
        let counted = try writer.reader.recorded(of: market("a"), before: nil)
        #expect(counted.samples == 21 && counted.candles == 3)
        try ForgetDatabase(at: folder.database).forget(market("a"), before: nil)
        let reader = try HistoryReader(at: folder.database)
        #expect(try reader.currencies(of: market("a")).isEmpty)
        #expect(try reader.recorded(of: market("a"), before: nil) == (0, 0))
        #expect(try prices("b", reader).count == 18)
        #expect(try candles("b", reader).map(\.samples) == [6, 6, 6])
        #expect(try reader.size().samples == 18)
        #expect(try reader.oldestPoll() == moment(-900), "the newest keeps its id from being given again")
        try writer.commit(poll(12_000, sample("a", "5", quotedAt: 12_000)))
        #expect(try prices("a", writer.reader) == ["5"])
    }

    @Test("only what is older goes; the hour that the time divides is counted anew")
    func before() throws {
        let folder = try TemporaryFolder()
        let writer = try threeHours(folder.database)
        let time = moment(3600 + 1500)
        #expect(try writer.reader.recorded(of: market("a"), before: time) == (9, 1))
        try ForgetDatabase(at: folder.database).forget(market("a"), before: time)
        let reader = try HistoryReader(at: folder.database)
        #expect(try prices("a", reader) == (10...18).map(String.init))
        let left = try candles("a", reader)
        #expect(left.map(\.samples) == [3, 6])
        #expect(left.map(\.open) == [price("10"), price("13")] && left.map(\.low) == left.map(\.open))
        #expect(try candles("b", reader).map(\.samples) == [6, 6, 6])
        // At a full hour, no candle is counted anew: its samples may have been pruned.
        try DatabaseQueue(path: folder.database).write {
            try $0.execute(sql: "DELETE FROM sample WHERE id & 1048575 = 1")
        }
        try ForgetDatabase(at: folder.database).forget(market("a"), before: moment(3600))
        #expect(try candles("a", reader).map(\.samples) == [3])
    }

    @Test("beside a daemon that records, no poll is refused; it notices, and its open hours hold nothing forgotten")
    func besideDaemon() async throws {
        let folder = try TemporaryFolder()
        let writer = try threeHours(folder.database)
        _ = try writer.changedByOthers()
        let count = try writer.reader.forgetCount()
        let forgetting = Task.detached { [path = folder.database] in
            for _ in 0..<20 { try ForgetDatabase(at: path).forget(market("a"), before: moment(10_800)) }
        }
        for step in 0..<40 {
            let second = 10_800 + Double(step)
            try writer.commit(poll(second, sample("a", "50", quotedAt: second), sample("b", "2", quotedAt: second)))
            await Task.yield()
        }
        try await forgetting.value
        #expect(try writer.changedByOthers())
        #expect(try writer.reader.forgetCount() == count + 20)
        #expect(try writer.size().samples == 18 + 80)
        // A later poll closes the hours.
        try writer.commit(poll(20_000, sample("b", "2", quotedAt: 20_000)))
        let left = try candles("a", writer.reader)
        #expect(left.map(\.samples) == [40] && left.allSatisfy { $0.low == price("50") })
        #expect(try prices("a", writer.reader).count == 40)
    }

    @Test("a full disk is named; what was deleted stays deleted, and with room the rest goes")
    func fullDisk() throws {
        guard let disk = try SmallDisk() else { return }
        let writer = try threeHours(disk.database)
        try writer.close()
        disk.fill()
        let database = try ForgetDatabase(at: disk.database)
        do {
            try database.forget(market("a"), before: nil)
        } catch { #expect(error.kind == .unwritable) }
        let reader = try HistoryReader(at: disk.database)
        #expect(try prices("b", reader).count == 18)
        #expect(try reader.size().samples == Int64(18 + prices("a", reader).count))
        try disk.empty()
        try database.forget(market("a"), before: nil)
        #expect(try prices("a", reader).isEmpty)
    }
}
