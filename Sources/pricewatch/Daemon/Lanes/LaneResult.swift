import Engine
import Feeds
import Foundation
import History
import Markets

/// A poll of a turn, taken in.
struct LaneResult {
    let plan: LanePlan
    /// The lanes that it asked for.
    let lanes: [Lane]
    /// The time between two polls that led to it.
    let interval: Duration
    let feed: String
    let requests: Int
    let outcome: Outcome

    enum Outcome {
        /// The answer is sound; in the digest is what it brought that is new, none where it held no usable price.
        case answered(Answer, Digest, maxAge: Duration?, pageError: FeedError?)
        case failed(FeedError)
        /// Nobody can say how old anything is.
        case clock(String)
    }

    /// Nil where nothing was asked, since a wait holds.
    init?(_ poll: LanePoll, into board: inout MarketBoard, wanted top: Int) {
        plan = poll.plan
        lanes = poll.lanes
        interval = poll.interval
        feed = poll.turn.feed
        requests = poll.turn.report.requests
        switch poll.turn.report.outcome {
        case .waiting: return nil
        case .failed(let error): outcome = .failed(error)
        case .answered(let answered):
            if let fault = ClockCheck.fault(ours: answered.fetchedAt, theirs: answered.serverDate) {
                outcome = .clock(fault)
                return
            }
            let answer = Answer(
                answered, from: feed, lanes: lanes, interval: interval, wanted: lanes.contains(.shared) ? top : 0,
                unmapped: poll.turn.unmapped)
            outcome = .answered(
                answer, board.take(answer), maxAge: answered.maxAge, pageError: answered.pageError)
        }
    }

    var digest: Digest { if case .answered(_, let digest, _, _) = outcome { digest } else { Digest() } }

    var maxAge: Duration? { if case .answered(_, _, let maxAge, _) = outcome { maxAge } else { nil } }

    var answeredAt: Date? { if case .answered(let answer, _, _, _) = outcome { answer.fetchedAt } else { nil } }

    /// The provider said something of its markets.
    var isAnswered: Bool { if case .answered = outcome { true } else { false } }

    var isUsable: Bool { digest.outcome.isUsable }

    var clockFault: String? { if case .clock(let fault) = outcome { fault } else { nil } }

    /// Why some or all markets have no price; nil where all have, or nothing has changed.
    var error: FeedError? {
        switch outcome {
        case .failed(let error): error
        case .clock(let fault): .empty(of: feed, fault)
        case .answered(_, let digest, _, let pageError):
            switch digest.outcome {
            case .ok, .unchanged: nil
            case .partial: pageError ?? .empty(of: feed, digest.explanation)
            case .failed: .empty(of: feed, digest.explanation)
            }
        }
    }

    /// What it leaves behind, without what the rules make of it.
    ///
    /// - Parameter board: with the markets that are watched from now on.
    func record(_ currency: Currency, at started: Date, ended: Date, watching board: MarketBoard) -> PollRecord {
        var record = PollRecord(
            at: started, fetchedAt: answeredAt ?? ended, feed: feed, lane: plan.lane, interval: interval,
            currency: currency, outcome: digest.outcome, error: clockFault == nil ? error?.label : "clock",
            unknown: digest.unknown,
            watched: board.markets, named: board.named)
        guard case .answered(let answer, let digest, _, let pageError) = outcome, isUsable else { return record }
        record.error = pageError?.label
        record.samples = digest.samples
        record.moves = digest.moves
        record.ranking = answer.ranking
        return record
    }
}

extension [LaneResult] {
    /// The lanes that were asked for, with the time between two polls that led here.
    var intervals: [Lane: Duration] {
        Dictionary(flatMap { result in result.lanes.map { ($0, result.interval) } }, uniquingKeysWith: Swift.max)
    }

    /// How the turn as a whole went, as the status tells it.
    func lastPoll(at started: Date, ended: Date) -> StatusReport.LastPoll? {
        guard let told = first(where: \.isUsable) ?? first else { return nil }
        let outcome = map(\.digest).outcome
        let error = outcome == .ok || outcome == .unchanged ? nil : lazy.compactMap(\.error).first
        return StatusReport.LastPoll(
            at: started, outcome: outcome, feed: told.feed, markets: reduce(0) { $0 + $1.digest.usable },
            tookMilliseconds: Int(ended.since(started).inMilliseconds), attempts: reduce(0) { $0 + $1.requests },
            error: error.map(StatusReport.PollError.init))
    }
}
