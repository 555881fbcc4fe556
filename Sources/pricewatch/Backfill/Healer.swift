import Feeds
import Foundation
import History
import Markets

/// Asks for the past, question by question, and stores each answer on its own, so that whoever ends it in the middle
/// loses nothing.
struct Healer: Sendable {
    let store: any HealingStore
    let currency: Currency
    let budget: HealingBudget
    let limits: PastLimits
    var time: any TimeSource = SystemTime()

    /// How one question ended.
    enum Outcome: Sendable {
        case answered(new: Int)
        /// Nothing is left to ask: somebody else did, or it has come out of reach.
        case settled
        /// This market cannot be asked; the others can.
        case refused(FeedError)
    }

    /// Why it stopped before the end.
    enum Obstacle: Error {
        case cancelled
        case waiting(feed: String, until: Date, message: String)
        case quota(feed: String)
        case failed(FeedError)
        case unwritten(HistoryError)
    }

    /// As long as a request may take with its repeats.
    private static let limit = Duration.seconds(60)

    /// What the provider has of the last minutes is no past yet, and would outdo the quote of the poll that comes next.
    private static let edge = Duration.minutes(5)

    /// What can be asked about the holes from `since` until now.
    func plan(
        _ sources: [PastSource], since: Date, longerThan longestStep: Duration
    ) throws(HistoryError) -> HealingPlan {
        let now = time.now()
        var holes = try store.reader.holes(
            of: sources.map { MarketRhythm($0.market, in: $0.lane, longestStep: max($0.every * 2, longestStep)) },
            in: currency, since..<now)
        for (market, open) in holes where open.extent?.upperBound == now {
            holes[market]?.remove([(now - Self.edge)..<now])
        }
        return HealingPlan(holes, sources, in: currency, now: now)
    }

    /// Requests that may be sent of what is left of the month.
    func allowance(of feed: Feed) async -> Int {
        budget.requests(quota: limits.quotas[feed.name], used: await feed.requests(in: UTCMonth(time.now())))
    }

    /// Puts one question, if nothing forbids it now.
    func ask(_ planned: HealingPlan.Step) async throws(Obstacle) -> Outcome {
        let source = planned.source
        if let (wait, until) = await source.feed.waitInForce() {
            throw .waiting(feed: source.feed.name, until: until, message: wait.message)
        }
        do {
            // Time has passed since it was planned.
            var holes = planned.holes
            holes.remove(try store.reader.healed(source.market, in: currency))
            let plan = HealingPlan([source.market: holes], [source], in: currency, now: time.now())
            guard let step = plan.steps.first else { return .settled }
            let quotes = try await source.feed.past(step.page, within: Self.limit)
            if Task.isCancelled { throw Obstacle.cancelled }
            return .answered(
                new: try store.heal(
                    Healing(
                        market: source.market, currency: currency, feed: source.feed.name, fetchedAt: time.now(),
                        holes: step.holes, quotes: quotes)))
        } catch let error as FeedError {
            if Task.isCancelled { throw .cancelled }
            guard error.scope == .request else { throw .failed(error) }
            return .refused(error)
        } catch let error as HistoryError {
            throw .unwritten(error)
        } catch {
            throw .cancelled
        }
    }

    /// The time between two questions to this feed.
    func pause(of feed: Feed) -> Duration { limits.pauses[feed.name] ?? Configuration.Feed.usualPastPause }

    /// Leaves the feed alone between two questions.
    func pause(for feed: Feed) async throws(Obstacle) {
        do { try await time.sleep(for: pause(of: feed)) } catch { throw .cancelled }
    }
}
