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
        sources = configuration.pastSources(of: configuration.quotedMarkets, among: feeds)
        guard !sources.isEmpty else { return nil }
        backfiller = Backfiller(store: history, currencies: configuration.currencies, budget: .daemon)
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

    /// Runs one round, from the newest gap to the oldest. Returns whether it stored any sample.
    ///
    /// - Parameter longestStep: Polls no further apart than this have no gap between them.
    func round(longerThan longestStep: Duration) async -> Bool {
        let plan: BackfillPlan
        do {
            plan = try backfiller.plan(sources, since: backfiller.time.now() - reach, longerThan: longestStep)
        } catch {
            logFailure("\(error)")
            return false
        }
        let backfilled = await perform(plan)
        for (feed, backfilled) in backfilled.sorted(by: { $0.key < $1.key }) { log.write(backfilled.line(feed: feed)) }
        return backfilled.values.contains { $0.samples > 0 }
    }

    /// Returns what was backfilled, by feed name. A market that is refused is not requested again in this round.
    private func perform(_ plan: BackfillPlan) async -> [String: BackfilledMarkets] {
        var backfilled: [String: BackfilledMarkets] = [:]
        var allowed = await backfiller.allowance(for: plan)
        var steps = plan.steps
        var obstacles = 0
        var refusals = 0
        while let step = steps.first {
            let (market, feed) = (step.source.market, step.source.feed.name)
            do throws(Backfiller.Obstacle) {
                // Pauses before the first request too: a poll has just been sent to this feed.
                let outcome = try await backfiller.send(step, allowed: &allowed, after: step.source.pause)
                steps.removeFirst()
                switch outcome {
                case .answered(let new):
                    (obstacles, refusals) = (0, 0)
                    backfilled[feed, default: BackfilledMarkets()].add(step, new)
                case .settled: break
                case .refused(let error):
                    logFailure(of: market, at: feed, error.message)
                    steps.removeAll { $0.source.market == market }
                    refusals += 1
                    if refusals == 3, error.isRetryable { throw .failed(error) }
                }
            } catch {
                obstacles += 1
                guard await canGoOn(after: error, obstacles) else { break }
            }
        }
        return backfilled
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
            LogLine(.warning, "history.backfill_failed") { line in
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
