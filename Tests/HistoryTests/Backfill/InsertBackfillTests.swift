import Engine
import Foundation
import GRDB
import Markets
import Testing

@testable import History

@Suite struct InsertBackfillTests {
    @Test("the ids of healed prices go on from those of polls and turns")
    func ids() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try writer.commit { $0.idleCycle = (at: moment(60), watched: WatchedMarkets([], currencies: .init(.usd))) }
        try writer.backfill(
            BackfillAnswer(
                market: market("a"), currency: usd(), feed: "past", fetchedAt: moment(0),
                holes: Holes([moment(-3600)..<moment(-60)]),
                quotes: [PastQuote(quotedAt: moment(-1800), price: price("2"))]))
        #expect(try writer.queue.read { try Int64.fetchAll($0, sql: "SELECT id FROM poll ORDER BY id") } == [1, 3])
    }

    private func prices(_ reader: HistoryReader, _ id: String = "a") throws -> [String] {
        var found: [String] = []
        try reader.samples(of: market(id), in: usd(), since: nil, until: nil) {
            found.append("\(Int($0.quotedAt.since(moment()).inSeconds)):\($0.price)")
        }
        return found
    }

    @Test("healed prices lie between the recorded ones, with their own times, feed and moment of the answer")
    func between() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "1", quotedAt: -30)))
        try writer.commit(poll(7200, sample("a", "9", quotedAt: 7100)))
        // The second is as old as a recorded answer, the last is as new as the next one; one comes twice.
        let new = try writer.backfill(
            backfillAnswer("a", 0, 7200, (3600, "5"), (-10, "2"), (300, "3"), (7150, "8"), (300, "3"), (9000, "7")))
        #expect(new == 2)
        #expect(try prices(writer.reader) == ["-30:1", "300:3", "3600:5", "7100:9"])
        try writer.reader.samples(of: market("a"), in: usd(), since: moment(0), until: moment(7000)) {
            #expect($0.feed == "past" && $0.fetchedAt == moment(7200) && $0.confirmed)
        }
        #expect(try writer.size().samples == 4)
        #expect(try writer.reader.size().samples == 4)
        #expect(try writer.reader.lastPoll() == moment(7200), "a healed poll is none of the daemon's")
        #expect(try writer.reader.usablePolls(since: moment(-9999)).map(\.at) == [moment(0), moment(7200)])
        #expect(try writer.reader.newest(in: .init(usd()))[market("a")]?.newest.price == price("9"))
    }

    @Test("what is healed again is not there twice")
    func twice() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(7200, sample("a", "9", quotedAt: 7100)))
        #expect(try writer.backfill(backfillAnswer("a", 0, 7200, (300, "3"), (600, "4"))) == 2)
        #expect(try writer.backfill(backfillAnswer("a", 0, 7200, (300, "3"), (450, "5"), (600, "4"))) == 1)
        #expect(try prices(writer.reader) == ["300:3", "450:5", "600:4", "7100:9"])
    }

    @Test("the open hour's candle is counted with what was healed, also when it closes, and keeps what was stated")
    func openHour() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        var stated = sample("a", "5", quotedAt: 1800)
        (stated.volume24h, stated.marketCap) = (10, 20)
        try writer.commit(poll(1800, stated))
        var backfilled = backfillAnswer("a", 0, 1900, (60, "9"), (120, "1"))
        backfilled.quotes[0].volume24h = 7
        #expect(try writer.backfill(backfilled) == 2)
        func candle() throws -> Candle? {
            var found: [Candle] = []
            try writer.reader.candles(of: market("a"), in: usd(), every: .hours(1), since: nil, until: nil) {
                found.append($0)
            }
            #expect(found.first?.start == moment())
            return found.first
        }
        let running = try candle()
        #expect([running?.open, running?.high, running?.low, running?.close] == ["9", "9", "1", "5"].map(price))
        try writer.commit(poll(4200, sample("a", "6", quotedAt: 4200)))
        let closed = try candle()
        #expect([closed?.open, closed?.high, closed?.low, closed?.close] == ["9", "9", "1", "5"].map(price))
        #expect(closed?.samples == 3)
        #expect(closed?.volume24h == 10 && closed?.marketCap == 20)
        #expect(try writer.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM candle") } == 1)
    }

    @Test("an hour that was healed alone states what the provider stated of it last")
    func statedByThePast() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(7800, sample("a", "5", quotedAt: 7800)))
        var backfilled = backfillAnswer("a", 0, 7200, (60, "9"), (120, "1"))
        for place in backfilled.quotes.indices {
            backfilled.quotes[place].volume24h = Double(place + 1)
            backfilled.quotes[place].marketCap = Double(place + 10)
        }
        try writer.backfill(backfilled)
        var found: [Candle] = []
        try writer.reader.hourlyCandles(in: .init(usd()), since: moment(), until: moment(3600)) { found.append($1) }
        #expect(found.map(\.volume24h) == [2])
        #expect(found.map(\.marketCap) == [11])
    }

    @Test("beside a daemon that has its numbers and candles in memory nothing is lost, on either side")
    func besideTheDaemon() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "5", quotedAt: 0)))
        let desk = try CommandDatabase(at: folder.database)
        #expect(try desk.backfill(backfillAnswer("a", -3600, 1, (-60, "9"))) == 1)
        // A market that the daemon has not met yet, in the hour that is open there.
        #expect(try desk.backfill(backfillAnswer("b", -3600, 500, (100, "3"), (200, "7"))) == 2)
        #expect(try writer.reader.backfillCount() == 2)
        try writer.commit(poll(600, sample("b", "4", quotedAt: 600), sample("a", "6", quotedAt: 600)))
        try writer.commit(poll(4200, sample("b", "1", quotedAt: 4200)))
        #expect(try prices(writer.reader, "b") == ["100:3", "200:7", "600:4", "4200:1"])
        var candles: [MarketID: [Candle]] = [:]
        try writer.reader.hourlyCandles(in: .init(usd()), since: moment(-3600), until: moment(3600)) {
            candles[$0, default: []].append($1)
        }
        #expect(candles[market("a")]?.map(\.open) == [price("9"), price("5")])
        #expect(candles[market("b")]?.map(\.high) == [price("7")])
        #expect(candles[market("b")]?.map(\.samples) == [3])
        #expect(try writer.changedByOthers())
        #expect(try writer.size().samples == 7)
    }

    @Test("what feeds remember is the same at the desk and in the daemon")
    func notes() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        let desk = try CommandDatabase(at: folder.database)
        #expect(try writer.countRequests(3, of: "f", in: "2026-11") == 3)
        #expect(try desk.countRequests(1, of: "f", in: "2026-11") == 4)
        #expect(try writer.requests(of: "f", in: "2026-11") == 4)
        try desk.keep(Data([1]), as: "wait", of: "f")
        #expect(try writer.note("wait", of: "f") == Data([1]))
        try writer.keep(nil, as: "wait", of: "f")
        #expect(try desk.note("wait", of: "f") == nil)
    }

    @Test("healed prices are pruned by the moment that they speak of; their candles stay")
    func pruned() async throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "5", quotedAt: 0)))
        try writer.commit(poll(90_000, sample("a", "6", quotedAt: 90_000)))
        try writer.backfill(backfillAnswer("a", -90_000, 90_000, (-80_000, "1"), (40_000, "2"), (80_000, "3")))
        let pruned = try await writer.prune(to: Retention(samples: .hours(5)), now: moment(90_000))
        #expect(pruned.samples == 3)
        #expect(try prices(writer.reader) == ["80000:3", "90000:6"])
        var candles = 0
        try writer.reader.hourlyCandles(in: .init(usd()), since: moment(-100_000), until: moment(90_000)) { _, _ in
            candles += 1
        }
        #expect(candles == 4)
        // Neither is asked for again: the answer is remembered, and where polls are gone their candles speak.
        #expect(
            try writer.reader.holes(
                of: [MarketRhythm(market("a"), longestStep: .minutes(2))], in: .init(usd()),
                moment(-90_000)..<moment(90_000))[
                    market("a")]?
                .isEmpty == true)
    }

    @Test("a damaged answer leaves nothing behind")
    func atomic() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try writer.commit(poll(0, sample("a", "5", quotedAt: 0)))
        try writer.queue.write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON poll WHEN new.backfilled AND new.at % 1000 = 7
                    BEGIN SELECT zeroblob(2000000000); END
                    """)
        }
        #expect(throws: HistoryError.self) {
            try writer.backfill(backfillAnswer("a", -900, 0, (-600, "9"), (-300.993, "8")))
        }
        #expect(try prices(writer.reader) == ["0:5"])
        #expect(try writer.reader.backfilled(market("a"), in: usd()).isEmpty)
        #expect(try writer.size().samples == 1)
    }
}
