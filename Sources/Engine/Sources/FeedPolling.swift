import Foundation
import Markets

/// A request to poll one feed.
package struct PollRequest: Sendable {
    package var source: SourceID
    package var feed: String
    package var watch: Watch
    /// The longest duration.
    package var limit: Duration
    /// A probe's time is limited to that of its requests if each hangs once, because the serving feed's prices wait for
    /// it.
    package var isProbe: Bool
    /// Ignores our own cooldowns, not those that the provider asked for. True in single-cycle mode.
    package var ignoringCooldown: Bool
}

/// One poll of a source: asks feeds one after the other until one answers well, then the probes.
struct FeedPolling: Sendable {
    private let settings: SourceSettings
    private let ranking: [MarketID]
    private let ignoringCooldown: Bool
    /// When the poll must end, in uptime.
    private let end: Duration
    private var candidates: ArraySlice<Int>
    private var probes: ArraySlice<Int>
    private var current: Int?
    private var results: [Int: PollResult] = [:]
    /// In the order in which they were asked.
    private var asked: [Int] = []
    /// Feeds that returned a price.
    private var answered: [Int] = []

    enum Step: Sendable {
        case ask(PollRequest)
        case done(SourceResult)
    }

    init(
        _ plan: Failover.Plan, _ settings: SourceSettings, ranking: [MarketID], ignoringCooldown: Bool, at now: Moment
    ) {
        self.settings = settings
        self.ranking = ranking
        self.ignoringCooldown = ignoringCooldown
        end = now.uptime + settings.limit
        candidates = plan.candidates[...]
        probes = plan.probes[...]
    }

    mutating func note(_ result: PollResult, _ failover: inout Failover, at now: Moment) {
        guard let current else { return }
        self.current = nil
        results[current] = result
        asked.append(current)
        failover.note(result.forFailover, of: current, at: now.wall)
        if case .good = result.forFailover { answered.append(current) }
    }

    /// The next feed to ask. Each gets half of the remaining time, the last one all of it, so that a feed that hangs
    /// leaves time for the others.
    mutating func next(_ failover: inout Failover, at now: Moment) -> Step {
        let left = end - now.uptime
        while answered.isEmpty, let index = candidates.popFirst() {
            let limit = candidates.isEmpty ? left : left / 2
            if let request = request(index, limit: limit, isProbe: false) { return .ask(request) }
        }
        while let index = probes.popFirst() {
            guard results[index] == nil else { continue }
            if let request = request(index, limit: probes.isEmpty ? left : left / 2, isProbe: true) {
                return .ask(request)
            }
        }
        return .done(finish(&failover, at: now))
    }

    /// Nil if no time is left or there is nothing to ask for.
    private mutating func request(_ index: Int, limit: Duration, isProbe: Bool) -> PollRequest? {
        let watch = settings.watch(of: index, ranking: ranking).watch
        guard limit > .zero, !watch.isEmpty else { return nil }
        current = index
        return PollRequest(
            source: settings.id, feed: settings.members[index].feed, watch: watch, limit: limit, isProbe: isProbe,
            ignoringCooldown: ignoringCooldown)
    }

    private func finish(_ failover: inout Failover, at now: Moment) -> SourceResult {
        let change = failover.settle(answered: answered)
        let best = answered.contains(failover.serving) ? failover.serving : leastBad ?? failover.serving
        let unmapped = settings.watch(of: best, ranking: ranking).unmapped
        var result = results[best] ?? nothing(of: best, at: now)
        result.requests = results.values.reduce(0) { $0 + $1.requests }
        return SourceResult(
            result: result, unmapped: unmapped,
            change: change.map { change in
                FeedChange(
                    from: settings.members[change.from].feed, to: settings.members[change.to].feed,
                    isRestored: change.isRestored, error: results[change.from]?.error)
            })
    }

    /// An answer without a price says more than a failure, a failure more than a cooldown.
    private var leastBad: Int? {
        asked.first { results[$0]?.answer != nil }
            ?? asked.first { if case .failed = results[$0]?.outcome { true } else { false } } ?? asked.first
    }

    /// A feed that has an id for no market counts as having given an empty answer.
    private func nothing(of index: Int, at now: Moment) -> PollResult {
        let feed = settings.members[index].feed
        if settings.watch(of: index, ranking: ranking).watch.isEmpty {
            return PollResult(feed: feed, .answered(Answer(fetchedAt: now.wall)))
        }
        return PollResult(
            feed: feed,
            .failed(PollError(.timeout, message: "poll: there was no time to ask", isRetryable: true)))
    }
}

/// The result of a poll of a source.
struct SourceResult: Sendable {
    /// Of the serving feed, else of the feed with the most informative result; `requests` counts those of all feeds
    /// asked.
    var result: PollResult
    /// Watched markets that the feed has no id for.
    var unmapped: [MarketID] = []
    /// Another feed serves from this poll on.
    var change: FeedChange?
}

struct FeedChange: Hashable, Sendable {
    var from: String
    var to: String
    /// The feed is preferred to the one before.
    var isRestored: Bool
    /// Why the previous feed was replaced; nil if it was not asked or did not fail.
    var error: PollError?
}

extension SourceSettings {
    /// What to ask a feed for. The preferred feed ranks the markets. Another feed's ranking would be another watchlist,
    /// so it is asked for the markets of the last ranking by id, or for its own ranking if there is none yet.
    func watch(of index: Int, ranking: [MarketID]) -> (watch: Watch, unmapped: [MarketID]) {
        let member = members[index]
        guard index > 0, member.watch.top > 0, !ranking.isEmpty else { return (member.watch, member.unmapped) }
        var watch = member.watch
        var unmapped = member.unmapped
        let named = Set(watch.entries.map(\.market)).union(unmapped)
        for market in ranking.prefix(watch.top) where !named.contains(market) {
            if let name = member.names.name(of: market) {
                watch.entries.append(Watch.Entry(market, providerID: name))
            } else {
                unmapped.append(market)
            }
        }
        watch.top = 0
        return (watch, unmapped)
    }
}

extension PollResult {
    fileprivate var forFailover: Failover.Result {
        switch outcome {
        case .answered(let answer): answer.quotes.isEmpty ? .failed : .good
        case .failed: .failed
        case .waiting(let until): .waiting(until: until)
        }
    }
}
