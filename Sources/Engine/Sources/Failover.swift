import Foundation
import Markets

/// Chooses which of several feeds serves, from the results of their polls. The first is preferred.
///
/// A feed that fails cools down, for longer after each failure. Then it is probed beside the serving feed and serves
/// again after `goodProbes` consecutive good answers, so that a feed that fails every other poll does not return.
struct Failover: Sendable, Hashable {
    /// Consecutive good probes after which a feed serves again.
    static let goodProbes = 3
    /// The longest cooldown. After this long without a failure, past failures no longer count.
    static let longestCooling = Duration.minutes(30)

    /// How a feed's poll ended.
    enum Result: Sendable, Hashable {
        /// It returned a price.
        case good
        case failed
        /// Nothing was sent: a cooldown of the feed holds.
        case waiting(until: Date)
    }

    /// Which feeds a poll asks.
    struct Plan: Sendable, Hashable {
        /// In this order until one answers well.
        var candidates: [Int]
        /// Asked afterwards, in the remaining time.
        var probes: [Int]
    }

    private struct FeedHealth: Sendable, Hashable {
        var coolsUntil: Date?
        var failures = 0
        var failedAt: Date?
        var goodInARow = 0
    }

    /// 0 is the preferred one.
    private(set) var serving = 0
    private var states: [FeedHealth]
    private let firstCooling: Duration

    /// - Parameter every: the poll interval; no cooldown is shorter.
    init(feeds: Int, every: Duration) {
        states = Array(repeating: FeedHealth(), count: feeds)
        firstCooling = max(.minutes(1), every)
    }

    /// Takes over the state of `before`, which has the same number of feeds.
    mutating func resume(_ before: Failover) {
        serving = before.serving
        states = before.states
    }

    /// The end of the feed's cooldown: until then it is asked only if all others fail. Nil: no cooldown.
    func coolsUntil(_ feed: Int, at now: Date) -> Date? {
        guard feed != serving, let until = states[feed].coolsUntil, until > now else { return nil }
        return until
    }

    func plan(at now: Date) -> Plan {
        let others = states.indices.filter { $0 != serving }
        let ready = others.filter { coolsUntil($0, at: now) == nil }
        let cooling = others.filter { coolsUntil($0, at: now) != nil }
        let probes = ready.filter { $0 < serving }
        // Less preferred feeds that are ready come first; feeds to be probed and cooling feeds are the last resort.
        return Plan(candidates: [serving] + ready.filter { $0 > serving } + probes + cooling, probes: probes)
    }

    /// Records the result of a feed's poll.
    mutating func note(_ result: Result, of feed: Int, at now: Date) {
        var health = states[feed]
        switch result {
        case .good:
            health.goodInARow += 1
            health.coolsUntil = nil
            if let failedAt = health.failedAt, now.since(failedAt) > Self.longestCooling { health.failures = 0 }
        case .failed:
            health.failures += 1
            health.failedAt = now
            health.goodInARow = 0
            let doubled = firstCooling * (1 << min(health.failures - 1, 10))
            health.coolsUntil = now + min(doubled, max(firstCooling, Self.longestCooling))
        case .waiting(let until):
            health.goodInARow = 0
            health.coolsUntil = until
        }
        states[feed] = health
    }

    /// Chooses the serving feed after a poll.
    ///
    /// - Parameter answered: the feeds that answered well, in the order in which they were asked.
    mutating func settle(answered: [Int]) {
        let restored = answered.filter { $0 < serving && states[$0].goodInARow >= Self.goodProbes }.min()
        if let restored {
            serving = restored
        } else if !answered.contains(serving), let first = answered.first {
            serving = first
        }
    }
}
