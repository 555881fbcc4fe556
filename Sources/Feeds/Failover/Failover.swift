import Foundation
import Markets

/// Which of several feeds serves, decided from how their polls went. The first is preferred.
///
/// A feed that fails cools down, the longer the more often. Then it is probed beside the one that serves, and serves
/// again after several good answers in polls running: one that fails every other poll does not come back.
public struct Failover: Sendable, Hashable {
    /// Good probes in polls running that bring a feed back.
    public static let goodProbes = 3
    /// The longest time without a probe. So long without a failure, past ones count no more.
    public static let longestCooling = Duration.minutes(30)

    /// How a feed's poll ended.
    public enum Result: Sendable, Hashable {
        /// It brought a price.
        case good
        case failed
        /// Nothing was sent, since a wait of its own holds.
        case waiting(until: Date)
    }

    /// What a poll asks.
    public struct Plan: Sendable, Hashable {
        /// In this order until one answers well.
        public var candidates: [Int]
        /// Asked afterwards, in what is left of the time.
        public var probes: [Int]
    }

    /// Another feed serves now.
    public struct Change: Sendable, Hashable {
        public var from: Int
        public var to: Int

        /// Back to a more preferred one.
        public var isRestored: Bool { to < from }
    }

    private struct Standing: Sendable, Hashable {
        var coolsUntil: Date?
        var failures = 0
        var failedAt: Date?
        var goodInARow = 0
    }

    /// 0 is the preferred one.
    public private(set) var serving = 0
    private var standings: [Standing]
    private let firstCooling: Duration

    /// - Parameter every: the time between polls; no feed cools for less.
    public init(feeds: Int, every: Duration) {
        standings = Array(repeating: Standing(), count: feeds)
        firstCooling = max(.minutes(1), every)
    }

    /// Goes on where another of as many feeds stood.
    mutating func takeOver(_ before: Failover) {
        serving = before.serving
        standings = before.standings
    }

    /// Until when this feed is not asked unless all others fail; nil where nothing speaks against it.
    public func coolsUntil(_ feed: Int, at now: Date) -> Date? {
        guard feed != serving, let until = standings[feed].coolsUntil, until > now else { return nil }
        return until
    }

    public func plan(at now: Date) -> Plan {
        let others = standings.indices.filter { $0 != serving }
        let ready = others.filter { coolsUntil($0, at: now) == nil }
        let cooling = others.filter { coolsUntil($0, at: now) != nil }
        let probes = ready.filter { $0 < serving }
        // Less preferred ones that are ready stand by; those to be probed, and those that cool, are better than none.
        return Plan(candidates: [serving] + ready.filter { $0 > serving } + probes + cooling, probes: probes)
    }

    /// Takes in how a feed's poll ended.
    public mutating func note(_ result: Result, of feed: Int, at now: Date) {
        var standing = standings[feed]
        switch result {
        case .good:
            standing.goodInARow += 1
            standing.coolsUntil = nil
            if let failedAt = standing.failedAt, now.since(failedAt) > Self.longestCooling { standing.failures = 0 }
        case .failed:
            standing.failures += 1
            standing.failedAt = now
            standing.goodInARow = 0
            let doubled = firstCooling * (1 << min(standing.failures - 1, 10))
            standing.coolsUntil = now + min(doubled, max(firstCooling, Self.longestCooling))
        case .waiting(let until):
            standing.goodInARow = 0
            standing.coolsUntil = until
        }
        standings[feed] = standing
    }

    /// Decides who serves after a poll.
    ///
    /// - Parameter answered: the feeds that answered well, in the order in which they were asked.
    public mutating func settle(answered: [Int]) -> Change? {
        let before = serving
        let restored = answered.filter { $0 < before && standings[$0].goodInARow >= Self.goodProbes }.min()
        if let restored {
            serving = restored
        } else if !answered.contains(before), let first = answered.first {
            serving = first
        }
        return serving == before ? nil : Change(from: before, to: serving)
    }
}
