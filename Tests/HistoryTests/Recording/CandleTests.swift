import Foundation
import GRDB
import Markets
import Testing

@testable import Engine
@testable import History

@Suite struct CandleTests {
    private func candles(
        _ reader: HistoryReader, _ id: String = "a", every length: Duration = .hours(1), since: Double? = nil,
        until: Double? = nil
    ) throws -> [Candle] {
        var found: [Candle] = []
        try reader.candles(
            of: market(id), in: usd(), every: length, since: since.map(moment), until: until.map(moment)
        ) { found.append($0) }
        return found
    }

    private func rows(_ writer: HistoryWriter) throws -> Int {
        try writer.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM candle") ?? -1 }
    }

    /// Prices at these minutes after the full hour.
    private func record(_ writer: HistoryWriter, _ prices: [(minute: Double, text: String)]) throws {
        for (minute, text) in prices {
            try writer.commit(poll(minute * 60, sample("a", text, quotedAt: minute * 60)))
        }
    }

    @Test("an hour is written once, when it closes, with its exact prices; the running one is counted from samples")
    func closes() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(
            writer, [(1, "1.00000000000000001"), (2, "3"), (3, "0.5"), (59, "2.00000000000000002"), (61, "7")])
        #expect(try rows(writer) == 0, "quotes of the hour before may still come")
        try record(writer, [(66, "8")])
        #expect(try rows(writer) == 1)
        let found = try candles(writer.reader)
        #expect(found.map(\.start) == [moment(), moment(3600)])
        #expect(found.first?.open.description == "1.00000000000000001")
        #expect(found.first?.high == price("3"))
        #expect(found.first?.low == price("0.5"))
        #expect(found.first?.close.description == "2.00000000000000002")
        #expect(found.map(\.samples) == [4, 2])
        #expect(found.last?.close == price("8"))
    }

    @Test("a poll that failed closes no hour: only the clock of this machine gives its time")
    func failedPoll() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, [(1, "1")])
        try writer.commit(poll(365 * 86_400, outcome: .failed))
        #expect(try rows(writer) == 0)
        try record(writer, [(70, "2"), (75, "3")])
        #expect(try rows(writer) == 1)
        #expect(try candles(writer.reader).map(\.samples) == [1, 2])
    }

    @Test("volume and market capitalisation are those last stated in the hour")
    func stated() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for (minute, volume) in [(1.0, 10.5), (2, nil), (3, 12.25), (4, nil), (70, nil)] as [(Double, Double?)] {
            var sample = sample("a", "1", quotedAt: minute * 60)
            sample.volume24h = volume
            sample.marketCap = volume.map { $0 * 100 }
            try writer.commit(poll(minute * 60, sample))
        }
        #expect(try candles(writer.reader).map(\.volume24h) == [12.25, nil])
        #expect(try candles(writer.reader).map(\.marketCap) == [1225, nil])
    }

    @Test(
        "a restart keeps them, a kill those of the hours that ended",
        arguments: [(true, [59, 60]), (false, [nil, 60])] as [(Bool, [Double?])])
    func statedAcrossRestart(isClean: Bool, volumes: [Double?]) throws {
        let folder = try TemporaryFolder()
        var writer = try HistoryWriter(at: folder.database)
        func record(_ minutes: some Sequence<Int>) throws {
            for minute in minutes {
                var sample = sample("a", "\(minute + 1)", quotedAt: Double(minute) * 60)
                sample.volume24h = Double(minute)
                sample.marketCap = Double(minute) * 100
                try writer.commit(poll(Double(minute) * 60, sample))
            }
        }
        try record(0..<60)
        if isClean { try writer.close() }
        writer = try HistoryWriter(at: folder.database)
        try record([60])
        try writer.close()
        writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(130 * 60, sample("b", "1", quotedAt: 130 * 60)))
        #expect(try candles(writer.reader).map(\.volume24h) == volumes)
        #expect(try candles(writer.reader).map(\.marketCap) == volumes.map { $0.map { $0 * 100 } })
    }

    @Test("a restart in the middle of an hour loses nothing of its candle")
    func restart() throws {
        let folder = try TemporaryFolder()
        for (minute, text) in [(1.0, "1"), (2, "9"), (3, "4"), (66, "5")] {
            let writer = try HistoryWriter(at: folder.database)
            try record(writer, [(minute, text)])
        }
        let found = try #require(try candles(try HistoryReader(at: folder.database)).first)
        #expect([found.open, found.high, found.low, found.close] == [price("1"), price("9"), price("1"), price("4")])
        #expect(found.samples == 3)
    }

    @Test("a quote that comes after its hour was written is added to the candle")
    func straggler() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, [(1, "5"), (70, "6")])
        try writer.commit(
            poll(75 * 60, sample("late", "3", quotedAt: 10 * 60), sample("a", "6", quotedAt: 75 * 60)))
        try writer.commit(poll(80 * 60, sample("late", "4", quotedAt: 20 * 60)))
        let late = try candles(writer.reader, "late")
        #expect(late.map(\.samples) == [2])
        #expect(late.first?.open == price("3"))
        #expect(late.first?.close == price("4"))
    }

    @Test("a backfilled hour is counted anew, whatever the order in which its samples came")
    func backfilled() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, [(0, "5"), (30, "6"), (70, "7")])
        for (minute, text) in [(20.0, "1"), (10, "9"), (-1, "2"), (65, "8")] {
            #expect(try writer.backfill(backfillAnswer("a", -3600, 4500, (minute * 60, text))) == 1)
        }
        let found = try candles(writer.reader)
        #expect(found.map(\.start) == [moment(-3600), moment(), moment(3600)])
        #expect(found.map(\.samples) == [1, 4, 2])
        #expect(found.map(\.high) == [price("2"), price("9"), price("8")])
        #expect(found.map(\.open) == [price("2"), price("5"), price("8")])
        #expect(found.map(\.close) == [price("2"), price("6"), price("7")])
        #expect(try writer.reader.lastPoll() == moment(70 * 60), "a healed poll is none of the daemon's")
    }

    @Test("a price that is not believed is kept, and moves no candle, window or newest price")
    func unconfirmed() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, [(1, "5")])
        try doubt(writer, "500", at: 120)
        try writer.commit(poll(70 * 60, sample("b", "1", quotedAt: 70 * 60)))
        #expect(try candles(writer.reader).map(\.high) == [price("5")])
        #expect(try writer.reader.newest(in: .init(usd()))[market("a")]?.newest.price == price("5"))
        var all: [Bool] = []
        try writer.reader.samples(of: market("a"), in: usd(), since: nil, until: nil) { all.append($0.confirmed) }
        #expect(all == [true, false])
    }

    @Test(
        "a price that a later poll bears out counts where it stands: in the open hour, in a written one, after a restart",
        arguments: [59.0, 61, 70], [false, true])
    func borneOut(minute: Double, restarting: Bool) throws {
        let folder = try TemporaryFolder()
        var writer = try HistoryWriter(at: folder.database)
        try record(writer, [(1, "5")])
        try doubt(writer, "500", at: 58 * 60)
        if minute > 65 { try record(writer, [(minute - 1, "5")]) }
        if restarting { writer = try HistoryWriter(at: folder.database) }
        #expect(try candles(writer.reader).first?.high == price("5"))
        var later = poll(minute * 60, sample("a", "490", quotedAt: minute * 60))
        later.moves = [move("a", "500", quotedAt: 58 * 60, fetchedAt: 58 * 60 + 1, .confirmed)]
        try writer.commit(later)
        func check(_ reader: HistoryReader) throws {
            let hour = try #require(try candles(reader).first)
            #expect([hour.high, hour.low] == [price("500"), price("5")])
            #expect(hour.samples == (minute < 60 ? 3 : 2))
            #expect(hour.close == price(minute < 60 ? "490" : "500"))
            var all: [Bool] = []
            try reader.samples(of: market("a"), in: usd(), since: nil, until: nil) { all.append($0.confirmed) }
            #expect(!all.contains(false))
        }
        try check(writer.reader)
        try record(writer, [(75, "490")])
        try check(writer.reader)
        try check(try HistoryReader(at: folder.database))
    }

    @Test("what could not be recorded cannot be borne out, and what was rejected stays so")
    func notThere() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, [(1, "5")])
        try doubt(writer, "500", at: 120)
        var later = poll(240, sample("a", "400", quotedAt: 240))
        later.moves = [
            move("a", "500", quotedAt: 120, fetchedAt: 121, .rejected),
            move("a", "300", quotedAt: 180, fetchedAt: 181, .confirmed),
        ]
        try writer.commit(later)
        #expect(try candles(writer.reader).map(\.samples) == [2])
        #expect(try candles(writer.reader).map(\.high) == [price("400")])
    }

    /// Records a price that is not believed yet.
    private func doubt(_ writer: HistoryWriter, _ text: String, at second: Double) throws {
        var doubtful = sample("a", text, quotedAt: second)
        doubtful.confirmed = false
        try writer.commit(poll(second, doubtful))
    }

    private func move(
        _ id: String, _ text: String, quotedAt: Double, fetchedAt: Double, _ stage: LargeMove.Stage
    ) -> LargeMove {
        let priceSample = MarketBoard.PriceSample(
            price: price(text), quotedAt: moment(quotedAt), fetchedAt: moment(fetchedAt), feed: "test")
        return LargeMove(market: market(id), stage: stage, price: priceSample, trusted: price("5"))
    }

    @Test(
        "longer candles follow from hourly ones, shorter ones from samples; buckets begin at multiples since 1970",
        arguments: [("1d", 2), ("2h", 26), ("1h", 51), ("30m", 101), ("90m", 34), ("7d", 1)])
    func lengths(text: String, count: Int) throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        // Every ten minutes from Saturday 10:00 to Monday 12:10.
        for step in 0...301 {
            let second = Double(step) * 600
            try writer.commit(poll(second, sample("a", "\(step + 1)", quotedAt: second)))
        }
        let length = try #require(Duration(unitsText: text))
        let found = try candles(writer.reader, every: length)
        let reference = Dictionary(grouping: 0...301) { step in
            (1_795_255_200_000 + Int64(step) * 600_000) / length.inMilliseconds
        }.sorted { $0.key < $1.key }
        #expect(found.map(\.start.milliseconds) == reference.map { $0.key * length.inMilliseconds })
        #expect(found.map(\.samples) == reference.map(\.value.count))
        #expect(found.map { Int($0.open.double) } == reference.map { $0.value[0] + 1 })
        #expect(found.map { Int($0.close.double) } == reference.map { ($0.value.last ?? 0) + 1 })
        #expect(abs(found.count - count) <= 1)
    }

    @Test("a period takes the buckets that it touches, whole")
    func period() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for minute in stride(from: 0.0, through: 300, by: 10) { try record(writer, [(minute, "1")]) }
        #expect(try candles(writer.reader, since: 5400, until: 7201).map(\.start) == [moment(3600), moment(7200)])
        #expect(try candles(writer.reader, since: 5400, until: 7200).map(\.samples) == [6])
        #expect(
            try candles(writer.reader, every: .minutes(30), since: 6000, until: 7200).map(\.samples) == [3])
    }

    @Test("the view shows closed hours and the running one, as numbers")
    func view() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, [(1, "1.5"), (2, "3"), (70, "7"), (71, "9"), (72, "8")])
        let rows = try writer.queue.read { try Row.fetchAll($0, sql: "SELECT * FROM candles ORDER BY start") }
        #expect(
            rows.first.map { Array($0.columnNames) } == [
                "market", "currency", "start", "open", "high", "low", "close", "samples", "volume_24h", "market_cap",
            ])
        #expect(rows.map { $0["start"] } == [1_795_255_200, 1_795_258_800])
        #expect(rows.map { $0["open"] } == [1.5, 7.0])
        #expect(rows.map { $0["high"] } == [3.0, 9.0])
        #expect(rows.map { $0["close"] } == [3.0, 8.0])
        #expect(rows.map { $0["samples"] } == [2, 3])
    }
}
