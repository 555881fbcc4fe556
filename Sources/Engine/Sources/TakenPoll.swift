import Foundation
import Markets

/// A completed poll of a source, applied to the board.
struct TakenPoll: Sendable {
    let source: SourceID
    let feed: String
    /// The poll interval in force.
    let interval: Duration
    let requests: Int
    private let outcome: Outcome

    private enum Outcome {
        /// The answer is valid; the update holds what is new.
        case answered(Answer, BoardUpdate)
        case failed(PollError)
        /// This machine's clock or the provider's is wrong, so no age can be stated.
        case clock(String)
    }

    /// Nil if nothing was asked because of a cooldown.
    init?(_ taken: SourceResult, of source: Source, into board: inout MarketBoard) {
        self.source = source.id
        feed = taken.result.feed
        interval = source.step
        requests = taken.result.requests
        switch taken.result.outcome {
        case .waiting: return nil
        case .failed(let error): outcome = .failed(error)
        case .answered(let answer):
            if let fault = ClockCheck.fault(ours: answer.fetchedAt, theirs: answer.serverDate) {
                outcome = .clock(fault)
            } else {
                outcome = .answered(
                    answer,
                    board.take(answer, from: feed, of: source.id, every: source.step, unmapped: taken.unmapped))
            }
        }
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

    package init(
        at: Date, outcome: PollOutcome, feed: String, markets: Int, tookMilliseconds: Int, attempts: Int,
        error: PollError? = nil
    ) {
        self.at = at
        self.outcome = outcome
        self.feed = feed
        self.markets = markets
        self.tookMilliseconds = tookMilliseconds
        self.attempts = attempts
        self.error = error
    }
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

/// Compares this clock with the provider's: prices with wrong times would corrupt the history and mislead the rules.
enum ClockCheck {
    static let tolerance = Duration.minutes(5)

    /// The error text; nil if the clocks agree or the provider sends no time.
    static func fault(ours: Date, theirs: Date?) -> String? {
        guard let theirs else { return nil }
        let lead = ours.since(theirs)
        guard lead > tolerance || lead < .zero - tolerance else { return nil }
        let size = (lead < .zero ? .zero - lead : lead).unitsText
        return "this clock is \(size) \(lead > .zero ? "ahead of" : "behind") the provider's; nothing is recorded "
            + "(set the clock, or start time synchronisation)"
    }
}
