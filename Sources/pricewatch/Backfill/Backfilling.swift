import Engine
import Feeds
import Foundation
import History
import Markets

/// Backfills the gaps of the daemon's named markets, beside the polls, one round at a time.
final class Backfilling: Sendable {
    private let backfiller: Backfiller
    private let sources: [PastSource]
    /// How far back gaps are backfilled.
    private let reach: Duration
    private let log: EventLog

    /// A round ends after this many consecutive obstacles.
    private static let mostObstacles = 5
    private static let rest = Duration.minutes(15)

    /// Nil where nothing is to be backfilled, or no configured feed provides historical prices.
    init?(_ configuration: Configuration, _ feeds: [Feed], _ history: HistoryWriter, log: EventLog) {
        guard let reach = configuration.history.backfill else { return nil }
        sources = configuration.pastSources(of: configuration.namedMarkets, among: feeds)
        guard !sources.isEmpty else { return nil }
        backfiller = Backfiller(store: history, currency: configuration.currency, budget: .daemon)
        self.reach = reach
        self.log = log
    }

    /// The markets with gaps that the next round requests, in the order of the configuration.
    ///
    /// - Parameter longestStep: Polls no further apart than this have no gap between them.
    func backfillable(since: Date, longerThan longestStep: Duration) -> [MarketID] {
        let since = max(since, backfiller.time.now() - reach)
        // The round logs an unreadable history.
        let plan = try? backfiller.plan(sources, since: since, longerThan: longestStep)
        let asked = Set((plan?.steps ?? []).map(\.source.market))
        return sources.map(\.market).filter(asked.contains)
    }

    /// The progress of a round.
    private struct Round {
        /// By feed name.
        var backfilled: [String: BackfilledMarkets] = [:]
        /// Requests that may still be sent, by feed name.
        var allowed: [String: Int] = [:]
        /// Markets that are not requested again in this round.
        var refused: Set<MarketID> = []

        var answers: Int { backfilled.values.reduce(0) { $0 + $1.answers } }
    }

    /// Runs one round, from the newest gap to the oldest. Returns whether it stored any sample.
    ///
    /// - Parameter longestStep: Polls no further apart than this have no gap between them.
    func round(longerThan longestStep: Duration) async -> Bool {
        var round = Round()
        var obstacles = 0
        while true {
            let before = round.answers
            do {
                try await backfill(longestStep, &round)
                break
            } catch {
                obstacles = round.answers > before ? 1 : obstacles + 1
                guard await canGoOn(after: error, obstacles) else { break }
            }
        }
        for (feed, backfilled) in round.backfilled.sorted(by: { $0.key < $1.key }) {
            log.write(backfilled.line(feed: feed))
        }
        return round.backfilled.values.contains { $0.samples > 0 }
    }

    private func backfill(_ longestStep: Duration, _ round: inout Round) async throws(Backfiller.Obstacle) {
        let sources = sources.filter { !round.refused.contains($0.market) }
        let plan: BackfillPlan
        do {
            plan = try backfiller.plan(sources, since: backfiller.time.now() - reach, longerThan: longestStep)
        } catch {
            throw .unwritten(error)
        }
        // What was allowed at the beginning of the round holds for all of it.
        round.allowed.merge(await backfiller.allowance(for: plan)) { first, _ in first }
        var refusals = 0
        var allowed = round.allowed
        defer { round.allowed = allowed }
        try await backfiller.perform(plan, allowed: &allowed, pausesFirst: true) {
            step, outcome throws(Backfiller.Obstacle) in
            let feed = step.source.feed.name
            switch outcome {
            case .answered(let new):
                refusals = 0
                round.backfilled[feed, default: BackfilledMarkets()].add(step, new)
            case .settled: break
            case .refused(let error):
                logFailure(of: step.source.market, at: feed, error.message)
                round.refused.insert(step.source.market)
                refusals += 1
                if refusals == 3, error.isRetryable { throw .failed(error) }
            }
        }
    }

    /// Sleeps until the obstacle may be gone; false if the round is over.
    private func canGoOn(after obstacle: Backfiller.Obstacle, _ count: Int) async -> Bool {
        let rest: Duration
        switch obstacle {
        case .cancelled: return false
        case .waiting(_, let until, _): rest = until.since(backfiller.time.now())
        case .failed(let error):
            logFailure(error.message)
            rest = error.notBefore.map { $0.at.since(backfiller.time.now()) } ?? Self.rest
        case .quota(let feed):
            logFailure(at: feed, "what may go into the past of the month's quota is used up")
            return false
        case .unwritten(let error):
            logFailure("\(error)")
            return false
        }
        guard count < Self.mostObstacles else { return false }
        do { try await backfiller.time.sleep(for: max(rest, .seconds(1))) } catch { return false }
        return true
    }

    private func logFailure(of market: MarketID? = nil, at feed: String? = nil, _ message: String) {
        log.write(
            LogLine(.warning, "history.unhealed") { line in
                line.add("feed", feed)
                line.add("market", market?.text)
                line.add("message", message)
            })
    }
}

/// The backfilled markets of one feed.
private struct BackfilledMarkets {
    /// The markets with new samples.
    private var markets: Set<MarketID> = []
    private(set) var samples = 0
    /// Answers, including those without new samples.
    private(set) var answers = 0
    /// The requested span, from the oldest gap to the newest.
    private var from = Date.distantFuture
    private var to = Date.distantPast

    mutating func add(_ step: BackfillPlan.Step, _ new: Int) {
        answers += 1
        samples += new
        if new > 0 { markets.insert(step.source.market) }
        guard let extent = step.holes.extent else { return }
        from = min(from, extent.lowerBound)
        to = max(to, extent.upperBound)
    }

    func line(feed: String) -> LogLine {
        LogLine(.info, "history.backfilled") { line in
            line.add("feed", feed)
            line.add("markets", markets.count)
            line.add("samples", samples)
            line.add("from", from)
            line.add("to", to)
            line.add("answers", answers)
        }
    }
}
