import Foundation
import Markets

/// A completed poll of a source, applied to the board.
struct TakenPoll: Sendable {
    let source: SourceID
    let feed: String
    /// The poll interval in force.
    let interval: Duration
    let requests: Int
    /// The last usable poll before a gap that this poll ends; nil: it ends none.
    private(set) var gapStart: Date?
    private let outcome: Outcome

    private enum Outcome {
        /// The answer is valid; the update holds what is new.
        case answered(Answer, BoardUpdate)
        case failed(PollError)
        /// This machine's clock or the provider's is wrong, so no age can be stated.
        case clock(String)
    }

    /// Nil if nothing was asked because of a cooldown.
    init?(_ taken: SourceResult, of source: Source, at started: Date, into board: inout MarketBoard) {
        self.source = source.id
        feed = taken.result.feed
        interval = source.step
        requests = taken.result.requests
        switch taken.result.outcome {
        case .waiting: return nil
        case .failed(let error): outcome = .failed(error)
        case .answered(let answer):
            if let fault = answer.clockFault {
                outcome = .clock(fault)
            } else {
                outcome = .answered(
                    answer,
                    board.apply(answer, from: feed, of: source.id, every: source.step, unmapped: taken.unmapped))
            }
        }
        if isUsable { gapStart = lastBeforeGap(source.lastUsable, until: started, interval: source.step) }
    }

    var update: BoardUpdate { if case .answered(_, let update) = outcome { update } else { BoardUpdate() } }

    var answer: Answer? { if case .answered(let answer, _) = outcome { answer } else { nil } }

    var isUsable: Bool { update.outcome.isUsable }

    var clockFault: String? { if case .clock(let fault) = outcome { fault } else { nil } }

    /// Why some or all markets have no price; nil if all have one or nothing has changed.
    var error: PollError? {
        switch outcome {
        case .failed(let error): error
        case .clock(let fault): .empty(of: feed, fault)
        case .answered(let answer, let update):
            switch update.outcome {
            case .ok, .unchanged: nil
            case .partial: answer.pageError ?? .empty(of: feed, update.explanation)
            case .failed: .empty(of: feed, update.explanation)
            }
        }
    }

    /// - Parameter board: with the markets that are watched from now on.
    func record(_ currency: Currency, at started: Date, ended: Date, watching board: MarketBoard) -> PollRecord {
        var record = PollRecord(
            at: started, fetchedAt: answer?.fetchedAt ?? ended, feed: feed, source: source, interval: interval,
            currency: currency, outcome: update.outcome, error: error?.kind.rawValue, unknown: update.unknown,
            watched: WatchedMarkets(board.markets, named: board.named))
        guard let answer, isUsable else { return record }
        record.error = answer.pageError?.kind.rawValue
        record.samples = update.samples
        record.moves = update.moves
        if source == .shared, !answer.ranking.isEmpty, !answer.rankingIsIncomplete { record.ranking = answer.ranking }
        return record
    }
}

/// The result of a cycle over all its sources.
package struct CyclePoll: Hashable, Sendable {
    package var at: Date
    package var outcome: PollOutcome
    package var feed: String
    package var markets: Int
    package var tookMilliseconds: Int
    package var attempts: Int
    package var error: PollError?
}

extension [TakenPoll] {
    /// The result so far; nil if there is no poll.
    func lastPoll(at started: Date, ended: Date) -> CyclePoll? {
        guard let shown = first(where: \.isUsable) ?? first else { return nil }
        let outcome = map(\.update).outcome
        let error = outcome == .ok || outcome == .unchanged ? nil : lazy.compactMap(\.error).first
        return CyclePoll(
            at: started, outcome: outcome, feed: shown.feed, markets: reduce(0) { $0 + $1.update.usable },
            tookMilliseconds: Int(ended.since(started).inMilliseconds), attempts: reduce(0) { $0 + $1.requests },
            error: error)
    }
}

extension BoardUpdate {
    /// Which markets have no price, and why, for logs and status.
    fileprivate var explanation: String {
        let unknown = unknown.filter { $0.reason != .oldQuote && $0.reason != .unconfirmed }
        let named = unknown.prefix(3).map { "\($0.market) (\($0.reason.rawValue))" }.joined(separator: ", ")
        let others = unknown.count > 3 ? " and \(unknown.count - 3) more" : ""
        return unknown.isEmpty ? "no market answered" : "no usable price of \(named)\(others)"
    }
}

/// What the newest answers say about this machine's clock.
enum ClockTrust: Sendable {
    /// No answer since the start, or since the clock was set.
    case unproven
    /// It agrees with a provider's clock, or no provider sends a time.
    case confirmed
    /// It disagrees with the providers' clocks: nothing is recorded, evaluated, pruned or summed up by it.
    case refuted
}

extension Answer {
    private static let clockTolerance = Duration.minutes(5)

    /// Why this clock or the provider's is wrong; nil if they agree or the provider sends no time. Prices with wrong
    /// times would corrupt the history and mislead the rules.
    fileprivate var clockFault: String? {
        guard let serverDate else { return nil }
        let lead = fetchedAt.since(serverDate)
        let size = max(lead, .zero - lead)
        guard size > Self.clockTolerance else { return nil }
        return "this clock is \(size.unitsText) \(lead > .zero ? "ahead of" : "behind") "
            + "the provider's; nothing is recorded (set the clock, or start time synchronisation)"
    }
}

extension LogLine {
    static func poll(
        _ poll: TakenPoll, _ day: DaySummary, tookMilliseconds: Int?, failuresBefore: Int
    ) -> LogLine {
        LogLine(.info, "poll.\(poll.update.outcome.rawValue)") { line in
            line.add("feed", poll.feed)
            line.add("markets", poll.update.usable)
            line.add("took_ms", tookMilliseconds)
            line.add(day)
            if failuresBefore > 0 { line.add("after_failures", failuresBefore) }
            line.add("message", poll.error?.message)
        }
    }

    static func failed(_ poll: TakenPoll, count: Int) -> LogLine {
        LogLine(.warning, "poll.failed") { line in
            line.add("feed", poll.feed)
            line.add("kind", poll.error?.kind.rawValue)
            line.add("count", count)
            line.add("message", poll.error?.message)
            line.add("attempts", poll.requests)
            line.add("retry_at", poll.error?.retryAt)
        }
    }

    static func retry(_ retry: PollResult.Retry, of feed: String) -> LogLine {
        LogLine(.info, "poll.retry") { line in
            line.add("feed", feed)
            line.add("attempt", retry.attempt)
            line.add("delay", retry.delay)
            line.add("kind", retry.error.kind.rawValue)
            line.add("message", retry.error.message)
        }
    }

    static func maxAge(_ maxAge: Duration, of poll: TakenPoll) -> LogLine {
        LogLine(.info, "feed.max_age") { line in
            line.add("feed", poll.feed)
            line.add("max_age", maxAge)
            line.add("every", poll.interval)
            line.add("message", "polling more often than the provider refreshes its answers")
        }
    }

    /// Large moves: one line each, or one line per stage if more than `mostSingleMoves` markets move at once (such as
    /// when a provider switches its currency).
    static func moves(_ moves: [LargeMove]) -> [LogLine] {
        [LargeMove.Stage.confirmed, .rejected, .unconfirmed].flatMap { stage in
            let alike = moves.filter { $0.stage == stage }
            guard alike.count <= mostSingleMoves else {
                let names = alike.prefix(3).map(\.market.text).joined(separator: ", ")
                return [
                    LogLine(.warning, "price.\(stage.rawValue)") { line in
                        line.add("count", alike.count)
                        line.add("message", "\(names) and \(alike.count - 3) more")
                    }
                ]
            }
            return alike.map { move in
                LogLine(stage == .confirmed ? .info : .warning, "price.\(stage.rawValue)") { line in
                    line.add("market", move.market.text)
                    line.add("price", move.price.price)
                    line.add("trusted", move.trusted)
                    line.add("quoted_at", move.price.quotedAt)
                    line.add("feed", move.price.feed)
                }
            }
        }
    }

    private static let mostSingleMoves = 5
}
