import Foundation
import Markets
import TestSupport
import Testing

@testable import Engine
@testable import History

/// The windows of a running daemon, beside those that a start rebuilds from what it recorded.
@Suite struct RecalledWindowTests {
    private static let lengths = [Duration.minutes(10), .minutes(60)]

    @Test(
        "windows rebuilt at a start are those of the daemon that ran, also after large moves, old quotes and gaps",
        arguments: 1...6 as ClosedRange<UInt64>)
    func recalled(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        var random = SeededNumbers(seed)
        let watchlist = Watchlist(
            named: [
                .init(market: market("a"), staleness: .init(after: .minutes(5)), moveLimit: Percent(hundredths: 2000))
            ],
            top: 0, staleness: .init(after: .minutes(5)), currencies: .init(usd()))
        let settings = settings(watchlist)
        var board = MarketBoard(watching: watchlist, remembering: [:])
        var book = AlertBook(settings, remembering: [:], installation: writer.installation)
        var (quoted, confirmed) = (-600.0, 0)
        for minute in 0..<400 {
            let second = Double(minute) * 60
            guard random.below(12) > 0 else { continue }
            let answer = answer(at: second, &quoted, &random)
            let update = board.apply(answer, from: "test", every: .minutes(1))
            confirmed += update.moves.count { $0.stage == .confirmed }
            var record = PollRecord(
                at: moment(second), fetchedAt: moment(second), feed: "test", currency: usd(), outcome: update.outcome)
            (record.unknown, record.samples, record.moves) = (update.unknown, update.samples, update.moves)
            try writer.commit(record)
            _ = book.evaluate(board, at: .init(now: moment(second), interval: .minutes(1)))
            let restarted = try writer.load(settings, at: moment(second)).alerts
            for window in Self.lengths.indices {
                #expect(
                    state(restarted, window, at: second) == state(book, window, at: second),
                    "after minute \(minute) of seed \(seed), window \(Self.lengths[window])")
            }
        }
        #expect(confirmed > 5)
    }

    private func answer(at second: Double, _ quoted: inout Double, _ random: inout SeededNumbers) -> Answer {
        var answer = Answer(fetchedAt: moment(second))
        guard random.below(8) > 0 else {
            answer.unusable = [market("a"): .nullPrice]
            return answer
        }
        // Old, repeated or new.
        if random.below(3) > 0 { quoted = max(quoted, second - Double(random.pick([0, 30, 200, 290, 330, 500]))) }
        let price = price(random.pick(["100", "101", "102", "150", "155", "220"]))
        answer.quotes = [
            Quote(market: market("a"), symbol: "a", name: "A", currency: usd(), price: price, quotedAt: moment(quoted))
        ]
        return answer
    }

    /// What a window holds, and whether it was watched for long enough.
    private func state(_ book: AlertBook, _ window: Int, at second: Double) -> String {
        guard let number = book.markets.known(market("a")) else { return "empty, unknown" }
        let range = book.windows.range(of: number, window: window)
        let covered = book.windows.isCovered(number, window: window, now: moment(second).milliseconds)
        return "\(range.map { "\($0.lowest) to \($0.highest)" } ?? "empty"), \(covered ? "covered" : "unknown")"
    }

    private func settings(_ watchlist: Watchlist) -> Settings {
        let member = SourceSettings.Member(
            feed: "test", watch: Watch([market("a")], currency: usd()), every: .minutes(1))
        return Settings(
            host: "box", watchlist: watchlist,
            sources: [SourceSettings(id: .shared, members: [member], every: .minutes(1), limit: .seconds(50))],
            feeds: ["test"], rules: Self.lengths.map { AlertRule(name: "\($0)", scope: .all, condition: .newHigh($0)) },
            routing: Routing(), deadline: .seconds(50))
    }
}
