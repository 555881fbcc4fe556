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

/// The result of a poll of a source.
struct SourceResult: Sendable {
    /// Of the serving feed, else of the feed with the most informative result; `requests` counts those of all feeds
    /// asked.
    var result: PollResult
    /// Watched markets that the feed has no id for.
    var unmapped: [MarketID] = []
    /// Logged if another feed serves from this poll on.
    var change: LogLine?
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
    /// In the order in which they were asked.
    private var results: [(feed: Int, result: PollResult)] = []

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
        guard let feed = current else { return }
        current = nil
        results.append((feed, result))
        failover.note(result.forFailover, of: feed, at: now.wall)
    }

    /// Feeds that returned a price.
    private var answered: [Int] { results.filter { $0.result.forFailover == .good }.map(\.feed) }

    /// The next feed to ask. Each gets half of the remaining time, the last one all of it, so that a feed that hangs
    /// leaves time for the others.
    mutating func next(_ failover: inout Failover, at now: Moment) -> Step {
        let left = end - now.uptime
        while answered.isEmpty, let feed = candidates.popFirst() {
            let limit = candidates.isEmpty ? left : left / 2
            if let request = request(feed, limit: limit, isProbe: false) { return .ask(request) }
        }
        while let feed = probes.popFirst() {
            guard !results.contains(where: { $0.feed == feed }) else { continue }
            let limit = probes.isEmpty ? left : left / 2
            if let request = request(feed, limit: limit, isProbe: true) { return .ask(request) }
        }
        return .done(finish(&failover, at: now))
    }

    /// Nil if no time is left or there is nothing to ask for.
    private mutating func request(_ feed: Int, limit: Duration, isProbe: Bool) -> PollRequest? {
        let watch = settings.watch(of: feed, ranking: ranking).watch
        guard limit > .zero, !watch.isEmpty else { return nil }
        current = feed
        return PollRequest(
            source: settings.id, feed: settings.members[feed].feed, watch: watch, limit: limit, isProbe: isProbe,
            ignoringCooldown: ignoringCooldown)
    }

    private func finish(_ failover: inout Failover, at now: Moment) -> SourceResult {
        let before = failover.serving
        failover.settle(answered: answered)
        let best = answered.contains(failover.serving) ? failover.serving : leastBad ?? failover.serving
        let watch = settings.watch(of: best, ranking: ranking)
        var result = results.first { $0.feed == best }?.result ?? nothing(of: best, watch, at: now)
        result.requests = results.reduce(0) { $0 + $1.result.requests }
        return SourceResult(
            result: result, unmapped: watch.unmapped,
            change: before != failover.serving ? change(from: before, to: failover.serving) : nil)
    }

    /// An answer without a price says more than a failure, a failure more than a cooldown.
    private var leastBad: Int? {
        (results.first { $0.result.answer != nil } ?? results.first { $0.result.waitsUntil == nil } ?? results.first)?
            .feed
    }

    /// A feed that has an id for no market counts as having given an empty answer.
    private func nothing(of feed: Int, _ watch: (watch: Watch, unmapped: [MarketID]), at now: Moment) -> PollResult {
        PollResult(
            feed: settings.members[feed].feed,
            watch.watch.isEmpty
                ? .answered(Answer(fetchedAt: now.wall))
                : .failed(PollError(.timeout, message: "poll: there was no time to ask", isRetryable: true)))
    }

    private func change(from before: Int, to serving: Int) -> LogLine {
        // The previous feed may not have been asked, or not have failed.
        let error = results.first { $0.feed == before }?.result.error
        let isRestored = serving < before
        return LogLine(isRestored ? .info : .warning, isRestored ? "feed.restored" : "feed.switched") { line in
            line.add("feed", settings.members[serving].feed)
            line.add("from", settings.members[before].feed)
            line.add("kind", error?.kind.rawValue)
            line.add("message", error?.message)
        }
    }
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
