import Foundation
import Markets

/// Replays recorded polls through the live code without recording them again.
extension Engine {
    /// One recorded poll and the poll interval in force at the time (zero: as configured).
    package struct RecordedAnswer: Sendable {
        package var source: SourceID
        package var result: PollResult
        package var interval: Duration

        package init(_ result: PollResult, of source: SourceID, every interval: Duration) {
            self.source = source
            self.result = result
            self.interval = interval
        }
    }

    /// Replays the polls of one cycle. Returns the rules' events.
    package mutating func play(_ answers: [RecordedAnswer], at started: Date) -> [AlertEvent] {
        guard gapStart(before: started) != nil else { return answers.flatMap { judge([$0], at: started) } }
        // After a gap all sources are processed together.
        return judge(answers, at: started)
    }

    /// Replays a cycle in which no feed could be polled.
    package mutating func playIdleCycle(at moment: Date) -> [AlertEvent] {
        judge([], [:], GapReading(), at: moment).events
    }

    /// Replays the backfilled prices of one moment as if a poll had returned them.
    package mutating func play(backfilled quotes: [Quote], from feed: String, at moment: Date) -> [AlertEvent] {
        let markets = board.take(backfilled: quotes, from: feed)
        return markets.isEmpty ? [] : alerts.evaluate(backfilled: markets, on: board, at: moment).events
    }

    package mutating func watch(_ watchlist: Watchlist) { board.watch(watchlist) }

    /// Resets latched `once` rules: polls before the rehearsed period are replayed only to fill the windows.
    package mutating func forgetLatches() { alerts.forgetLatched() }

    private mutating func judge(_ answers: [RecordedAnswer], at started: Date) -> [AlertEvent] {
        var polls: [TakenPoll] = []
        for answer in answers {
            guard let place = sources.firstIndex(where: { $0.id == answer.source }) else { continue }
            sources[place].step = max(sources[place].settings.every, answer.interval)
            let taken = SourceResult(result: answer.result)
            if let poll = TakenPoll(taken, of: sources[place], into: &board) { polls.append(poll) }
        }
        guard !polls.isEmpty else { return [] }
        let gaps = end(polls, at: started)
        let moment = polls.compactMap { $0.answer?.fetchedAt }.max() ?? started
        return judge(polls, gaps, GapReading(), at: moment).events
    }
}
