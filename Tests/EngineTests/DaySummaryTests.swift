import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct DaySummaryTests {
    @Test("the four counts add up, moves are ordered, ties go by id")
    func counts() {
        let changes: [(market: MarketID, change: Percent?)] = [
            (market("c"), Percent(hundredths: 810)), (market("b"), Percent(hundredths: 810)), (market("a"), .zero),
            (market("d"), Percent(hundredths: -5)), (market("e"), nil), (market("f"), Percent(hundredths: -500)),
        ]
        let summary = DaySummary(changes: changes, coverage: Percent(hundredths: 9970))
        #expect((summary.up, summary.down, summary.flat, summary.unknown) == (2, 2, 1, 1))
        #expect(summary.gainers.map(\.market.text) == ["b", "c"])
        #expect(summary.losers.map(\.market.text) == ["f", "d"])
        #expect(summary.coverage.description == "99.7")
    }

    @Test("recorded before reported before nothing")
    func basis() throws {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "101", at: moment(), change: "7"), at: moment(1)))
        let entry = try #require(board[market("bitcoin")])
        #expect(DayChange(of: entry, at: moment(2), against: price("100"))?.percent == Percent(hundredths: 100))
        #expect(DayChange(of: entry, at: moment(2), against: price("100"))?.basis == .recorded)
        #expect(DayChange(of: entry, at: moment(2), against: nil)?.basis == .reported)
        #expect(DayChange(of: entry, at: moment(3600), against: price("100")) == nil, "a stale market has no change")
    }
}

/// On the first day the coverage is low because watching has just begun, which is said.
@Suite struct FirstDayTests {
    @Test("since when is said in the status, its JSON, the log and the digest, until a whole window has passed")
    func firstDay() throws {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1")]])
        #expect(scene.status.summary.watchedSince == nil)
        scene.poll(6)
        let summary = scene.status.summary
        #expect(summary.watchedSince == moment())
        #expect(summary.coverageText(at: scene.now.wall) == "0.4 % of the time covered (watching began 6 min ago)")
        #expect(StatusReport(json: Data(scene.status.json))?.summary.watchedSince == moment())
        #expect(LogLine.digest(summary).fields.description.contains(" watched_since=2026-11-21T10:00:00Z"))
        let note = Note(digest: summary, at: scene.now.wall, host: "h")
        #expect(note.lines.first == "0.4 % of the time covered (watching began 6 min ago)")
        let later = scene.status.aged(at: scene.now.wall + .hours(1)) { _ in .minutes(15) }
        #expect(later.summary.watchedSince == moment() && later.summary.up == 0)

        scene.step(.hours(23))
        scene.poll(2)
        #expect(scene.status.summary.watchedSince == moment(), "a gap is no beginning")
        scene.step(.hours(1))
        #expect(scene.status.summary.watchedSince == nil)
        #expect(!scene.status.summary.coverageText(at: scene.now.wall).contains("began"))
        #expect(!LogLine.digest(scene.status.summary).fields.description.contains("watched_since"))
    }
}

@Suite struct CoverageTests {
    @Test("polls close to each other cover the time between them, a gap covers nothing")
    func gaps() {
        var coverage = Coverage(window: .hours(1), every: .seconds(60))
        for second in stride(from: 0.0, through: 1800, by: 60) { coverage.add(moment(second)) }
        #expect(coverage.share(at: moment(1800)).description == "50")
        for second in stride(from: 2700.0, through: 3600, by: 60) { coverage.add(moment(second)) }
        #expect(coverage.share(at: moment(3600)).description == "75")
    }

    @Test("what lies between two polls is measured by the interval that was in force")
    func paces() {
        var coverage = Coverage(window: .hours(1), every: .seconds(60))
        for second in [0.0, 900, 1800] { coverage.add(moment(second), interval: .seconds(900)) }
        #expect(coverage.share(at: moment(1800)).description == "50")
        #expect(coverage.share(at: moment(2700)).description == "75", "the next one is due")
        for second in [2700.0, 2760, 3600] {
            coverage.add(moment(second), interval: second == 2700 ? .seconds(900) : .zero)
        }
        #expect(coverage.share(at: moment(3600)).hundredths == 7660, "what came after asked each minute again")
    }

    @Test("the window moves on and the answer is that of counting anew")
    func moves() {
        var coverage = Coverage(window: .seconds(1000), every: .seconds(10))
        var polls: [Double] = []
        var time = 0.0
        for step in 0..<3000 {
            time += [10, 10, 20, 35, 7][step % 5]
            polls.append(time)
            coverage.add(moment(time))
            var covered = 0.0
            for (a, b) in zip(polls, polls.dropFirst()) where b - a <= 20 { covered += max(0, b - max(a, time - 1000)) }
            #expect(coverage.share(at: moment(time)).hundredths == Int64(covered) * 10)
        }
    }
}

@Suite struct PastPricesTests {
    @Test(
        "the sample nearest to a day before counts, if it is near enough",
        arguments: [
            (0.0, "1"), (74, "1"), (76, "2"), (200, "2"), (1000, "2"), (1900, "2"), (1960, nil), (-1800, "1"),
            (-1801, nil),
        ]
            as [(Double, String?)])
    func nearest(offset: Double, expected: String?) {
        var past = PastPrices()
        past.add(PastPrice(market("a"), quotedAt: moment(150), price: price("2")))
        past.add(PastPrice(market("a"), quotedAt: moment(0), price: price("1")))
        #expect(past.price(of: market("a"), before: moment(offset) + .hours(24)) == expected.map(price))
    }

    @Test("what is too old is forgotten")
    func forgets() {
        var past = PastPrices()
        past.add(PastPrice(market("a"), quotedAt: moment(0), price: price("1")))
        past.forget(at: moment(1801) + .hours(24))
        #expect(past.price(of: market("a"), before: moment(0) + .hours(24)) == nil)
    }
}
