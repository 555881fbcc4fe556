import Foundation
import Markets

/// A completed poll of a source, applied to the board.
struct TakenPoll: Sendable {
    let source: SourceID
    let feed: String
    let currency: Currency
    /// The poll interval in force.
    let interval: Duration
    let requests: Int
    /// The last usable poll before a gap that this poll ends; nil: it ends none.
    private(set) var gapStart: Date?
    /// Nil: the poll failed, or a clock is wrong.
    private(set) var answer: Answer?
    /// What is new in the answer.
    private(set) var update = BoardUpdate()
    /// Why this machine's clock or the provider's is wrong, so that no age can be stated.
    private(set) var clockFault: String?
    /// Why some or all markets have no price; nil if all have one or nothing has changed.
    private(set) var error: PollError?

    /// Nil if nothing was asked because of a cooldown.
    init?(_ taken: SourceResult, of source: Source, at started: Date, into board: inout MarketBoard) {
        self.source = source.id
        feed = taken.result.feed
        currency = source.settings.currency
        interval = source.step
        requests = taken.result.requests
        switch taken.result.outcome {
        case .waiting: return nil
        case .failed(let error):
            self.error = error
            board.setInterval(interval, of: source.id)
        case .answered(let answer):
            clockFault = answer.clockFault
            if let clockFault {
                error = .empty(of: feed, clockFault)
                return
            }
            self.answer = answer
            update = board.apply(answer, from: feed, of: source.id, every: interval, unmapped: taken.unmapped)
            switch update.outcome {
            case .ok, .unchanged: break
            case .partial: error = answer.pageError ?? .empty(of: feed, update.explanation)
            case .failed: error = .empty(of: feed, update.explanation)
            }
        }
        if isUsable { gapStart = lastBeforeGap(source.lastUsable, until: started, interval: interval) }
    }

    var isUsable: Bool { update.outcome.isUsable }

    /// - Parameter board: with the markets that are watched from now on.
    func record(at started: Date, ended: Date, watching board: MarketBoard) -> PollRecord {
        var record = PollRecord(
            at: started, fetchedAt: answer?.fetchedAt ?? ended, feed: feed, source: source, interval: interval,
            currency: currency, outcome: update.outcome, error: error?.kind.rawValue, unknown: update.unknown,
            watched: board.watched)
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
        let unknown = unknown.filter { ![.oldQuote, .unconfirmed, .incomplete].contains($0.reason) }
        let named = unknown.map { "\($0.market) (\($0.reason.rawValue))" }
        return unknown.isEmpty ? "no market answered" : "no usable price of \(named.listed())"
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

    /// No poll is due before `until`.
    static func waiting(_ feed: String, until: Date, _ cooldown: FeedCooldown?) -> LogLine {
        LogLine(.info, "poll.waiting") { line in
            line.add("until", until)
            line.add("feed", feed)
            let cause =
                switch cooldown?.isBlock {
                case nil: "the last request was made shortly before the start"
                case false?: "the provider is not asked before then"
                case true?: "the provider refuses requests"
                }
            line.add("message", cause)
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
                return [
                    LogLine(.warning, "price.\(stage.rawValue)") { line in
                        line.add("count", alike.count)
                        line.add("message", alike.map(\.market.text).listed())
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
