import Foundation
import Markets
import Testing

@testable import Engine

/// What a gap leaves of windows and announcements, once prices of it are there.
@Suite struct BackfilledGapTests {
    private static let hour: Int64 = 3_600_000
    private static let start: Int64 = 1_795_255_200_000

    /// Polls each minute for three hours, none for six, then one; healed prices each `step` in between.
    private func windows(healedEvery step: Int64?) -> PriceWindows {
        var windows = PriceWindows([.hours(8)], every: [.minutes(1)])
        for _ in 0..<2 { windows.addMarket(inGroup: 0) }
        for minute in 0..<180 {
            let time = Self.start + Int64(minute) * 60_000
            let samples = [(0, time, price("100")), (1, time, price("7"))]
            windows.add(recorded: time, samples: samples, unknown: [])
        }
        if let step {
            for time in stride(from: Self.start + 3 * Self.hour + step, to: Self.start + 9 * Self.hour, by: Int(step)) {
                windows.add(backfilled: price("50"), quotedAt: time, of: 0)
            }
        }
        let end = Self.start + 9 * Self.hour
        windows.add(recorded: end, samples: [(0, end, price("101")), (1, end, price("8"))], unknown: [])
        return windows
    }

    @Test(
        "healed prices cover the gap of their own market, as far apart as a provider's past lies",
        arguments: [(nil, false), (300_000, true), (3_600_000, true), (3 * 3_600_000, false)] as [(Int64?, Bool)])
    func coverage(step: Int64?, covered: Bool) {
        let windows = windows(healedEvery: step)
        let now = Self.start + 9 * Self.hour
        #expect(windows.isCovered(0, window: 0, now: now) == covered)
        #expect(!windows.isCovered(1, window: 0, now: now))
        if step != nil {
            var after = windows
            after.add(price("102"), quotedAt: now + 60_000, of: 0, answeredAt: now + 60_000)
            #expect(after.range(of: 0, window: 0) == PriceRange(lowest: price("50"), highest: price("101")))
        }
    }

    @Test("a market that was watched only from the end of the gap on is covered by what was healed")
    func newMarket() {
        var windows = PriceWindows([.hours(5)], every: [.minutes(1)])
        windows.addMarket(inGroup: 0)
        for minute in stride(from: 0, to: 300, by: 5) {
            windows.add(backfilled: price("9"), quotedAt: Self.start + Int64(minute) * 60_000, of: 0)
        }
        let end = Self.start + 5 * Self.hour
        windows.add(recorded: end, samples: [(0, end, price("9"))], unknown: [])
        #expect(windows.isCovered(0, window: 0, now: end))
    }

    @Test(
        "an announcement after a gap is late by the healed quote at which the level was crossed",
        arguments: [
            // Healed prices each hour from the second on, the poll after ten hours; in seconds before that poll.
            (["90", "70", "90", "60", "50", "40"], 5 * 3600),
            (["90", "90", "90", "90", "90", "90"], 0),
            (["10", "10", "10", "10", "10", "10"], 8 * 3600),
            ([], 10 * 3600),
        ])
    func lateness(backfilled: [String], late: Int) throws {
        var stage = AlertStage(bitcoinRule(.below(price("80"))))
        _ = stage.play(["100"])
        let last = stage.now - AlertStage.every
        stage.now = last + .hours(10)
        let quotes = backfilled.enumerated().map {
            PastQuote(quotedAt: last + .hours($0.offset + 2), price: price($0.element))
        }
        _ = stage.board.apply(answer(quote("bitcoin", "30", at: stage.now), at: stage.now))
        let events = stage.book.evaluate(
            stage.board,
            at: .init(
                now: stage.now, interval: .minutes(1), watchedUntil: last,
                backfilled: quotes.isEmpty ? [:] : [market("bitcoin"): quotes])
        ).events
        #expect(events.map(\.lateSeconds) == [late])
    }

    @Test func `what ended in the gap is late by the quote at which it ended, and a window by the gap`() throws {
        var level = AlertStage(bitcoinRule(.above(price("80"))))
        _ = level.play(["100"])
        let last = level.now - AlertStage.every
        level.now = last + .hours(10)
        let quotes = ["90", "70", "60"].enumerated().map {
            PastQuote(quotedAt: last + .hours($0.offset + 1), price: price($0.element))
        }
        func moment() -> AlertBook.Context {
            .init(
                now: level.now, interval: .minutes(1), watchedUntil: last, backfilled: [market("bitcoin"): quotes])
        }
        _ = level.board.apply(answer(quote("bitcoin", "30", at: level.now), at: level.now))
        #expect(level.book.evaluate(level.board, at: moment()).events.map(\.lateSeconds) == [8 * 3600])
        #expect(
            moment().lateness(
                of: .firstFiring, .falls(percent(5), within: .hours(1)), market("bitcoin"),
                level.board[market("bitcoin")], in: .shared) == 10 * 3600)
        #expect(
            moment().lateness(
                of: .repeatInterval, .above(price("1")), market("bitcoin"), level.board.entries[0], in: .shared) == nil)
    }
}
