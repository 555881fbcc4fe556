import Feeds
import Foundation
import HTTP
import History
import Markets

/// Requests historical prices and stores each answer separately, so that cancelling loses nothing.
struct Backfiller: Sendable {
    let store: any HistoryStore
    let currencies: MarketCurrencies
    let budget: BackfillBudget
    var time: any TimeSource = SystemTime()

    /// The result of one request.
    enum Outcome: Sendable {
        case answered(new: Int)
        /// Nothing left to request: another process filled the gap, or it is out of reach by now.
        case settled
        /// This market failed; others may succeed.
        case refused(FeedError)
    }

    /// Why the backfill stops.
    enum Obstacle: Error {
        case cancelled
        case waiting(feed: String, until: Date, message: String)
        case quota(feed: String)
        case failed(FeedError)
        case unwritten(HistoryError)
    }

    /// The limit of a request with its retries.
    private static let limit = Duration.seconds(60)

    /// The newest minutes are left to the polls: a backfilled price would be newer than the next poll's quote.
    private static let edge = Duration.minutes(5)

    /// The requests for gaps from `since` until now.
    func plan(
        _ sources: [PastSource], since: Date, longerThan longestStep: Duration
    ) throws(HistoryError) -> BackfillPlan {
        let now = time.now()
        var holes = try store.reader.holes(
            of: sources.map { MarketRhythm($0.market, in: $0.source, longestStep: max($0.every * 2, longestStep)) },
            in: currencies, since..<now)
        for (market, open) in holes where open.extent?.upperBound == now {
            holes[market]?.remove([(now - Self.edge)..<now])
        }
        return BackfillPlan(holes, sources, in: currencies, now: now)
    }

    /// The requests that may be sent from the rest of the month's quota, by feed name.
    func allowance(for plan: BackfillPlan) async -> [String: Int] {
        var allowed: [String: Int] = [:]
        for source in plan.sources {
            let used = await source.feed.requests(in: UTCMonth(time.now()))
            allowed[source.feed.name] = budget.requests(quota: source.quota, used: used)
        }
        return allowed
    }

    /// Pauses, and sends one request, unless a cooldown or the quota forbids it.
    ///
    /// - Parameter allowed: The requests that may still be sent, by feed name.
    func send(
        _ planned: BackfillPlan.Step, allowed: inout [String: Int], after pause: Duration
    ) async throws(Obstacle) -> Outcome {
        let source = planned.source
        let feed = source.feed.name
        guard allowed[feed, default: 0] > 0 else { throw .quota(feed: feed) }
        do { try await time.sleep(for: pause) } catch { throw .cancelled }
        allowed[feed]? -= 1
        if let (wait, until) = await source.feed.cooldownInForce() {
            throw .waiting(feed: feed, until: until, message: wait.message)
        }
        do {
            // Plan again: time has passed, and another process may have filled the gap.
            var holes = planned.holes
            holes.remove(try store.reader.backfilled(source.market, in: currencies[source.market]))
            let plan = BackfillPlan([source.market: holes], [source], in: currencies, now: time.now())
            guard let step = plan.steps.first else { return .settled }
            let quotes = try await source.feed.past(step.page, within: Self.limit)
            if Task.isCancelled { throw Obstacle.cancelled }
            return .answered(
                new: try store.backfill(
                    BackfillAnswer(
                        market: source.market, currency: currencies[source.market], feed: feed,
                        fetchedAt: time.now(), holes: step.holes, quotes: quotes)))
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
}

/// The share of the rest of a month's quota for backfills; the polls need the other part.
enum BackfillBudget: Int, Sendable {
    /// The daemon, for each round: a tenth.
    case daemon = 10
    /// The command: half.
    case command = 2

    /// - Parameter quota: Requests a month; nil: no known limit.
    func requests(quota: Int?, used: Int) -> Int {
        guard let quota else { return .max }
        return max(0, quota - used) / rawValue
    }
}
