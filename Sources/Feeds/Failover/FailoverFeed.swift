import Foundation
import Markets

/// Several feeds in order of preference, polled as if they were one: the next serves within the same poll where one
/// fails. Whatever it brings says which feed it is from.
public actor FailoverFeed {
    /// A feed, and what it is asked for.
    public struct Member: Sendable {
        public var feed: Feed
        /// The markets that it has a name for. `top` is asked of the preferred feed; the others stand in for the
        /// markets of its last ranking.
        public var watch: Watch
        /// Named markets that it has no name for.
        public var unmapped: [MarketID]
        /// Its name for a market of the ranking; nil where none is certain.
        public var name: @Sendable (MarketID) -> String?

        public init(
            _ feed: Feed, watch: Watch, unmapped: [MarketID] = [], name: @escaping @Sendable (MarketID) -> String?
        ) {
            self.feed = feed
            self.watch = watch
            self.unmapped = unmapped
            self.name = name
        }
    }

    /// What a poll brought, and from whom.
    public struct Turn: Sendable {
        /// `requests` counts those of all feeds asked.
        public var report: PollReport
        /// The feed that served, else the first that was asked.
        public var feed: String
        /// Watched markets that it has no name for.
        public var unmapped: [MarketID] = []
        /// Another feed serves from this poll on.
        public var change: Change?
        /// How the polls of all feeds asked ended, by their names.
        public var reports: [String: PollReport] = [:]

        public init(report: PollReport, feed: String, unmapped: [MarketID] = []) {
            self.report = report
            self.feed = feed
            self.unmapped = unmapped
        }

        public struct Change: Sendable {
            public var from: String
            public var to: String
            /// Back to a more preferred one.
            public var isRestored: Bool
            /// Why the other was left; nil where it was not asked or did not fail.
            public var error: FeedError?
        }
    }

    public nonisolated let members: [Member]
    private let time: any TimeSource
    private var failover: Failover

    /// - Parameters:
    ///   - members: at least one, the preferred one first.
    ///   - every: the time between polls.
    public init(_ members: [Member], every: Duration, time: any TimeSource = SystemTime()) {
        self.members = members
        self.time = time
        failover = Failover(feeds: members.count, every: every)
    }

    /// Goes on where another, of the same feeds in the same order, stood: who serves, and who cools down.
    public func takeOver(_ before: FailoverFeed) async {
        let standing = await before.failover
        if before.members.count == members.count { failover.takeOver(standing) }
    }

    /// The feed whose prices are taken.
    public var serving: Feed { members[failover.serving].feed }

    /// Whether another than the preferred feed serves.
    public var isStandby: Bool { failover.serving > 0 }

    /// Until when a feed is left alone after its failures; nil where nothing speaks against it.
    public func coolsUntil(_ feed: Feed) -> Date? {
        members.firstIndex { $0.feed === feed }.flatMap { failover.coolsUntil($0, at: time.now()) }
    }

    /// One poll, within `limit`. Throws only when the task is cancelled.
    ///
    /// - Parameter ranking: the largest markets as they were last answered, for feeds that stand in.
    public func poll(
        ranking: [MarketID] = [], within limit: Duration, obeying obedience: WaitObedience = .all
    ) async throws(CancellationError) -> Turn {
        let end = time.uptime() + limit
        let plan = failover.plan(at: time.now())
        var asked = Asked()
        for (place, index) in plan.candidates.enumerated() where asked.answered.isEmpty {
            let others = plan.candidates.count - place - 1
            asked.add(try await ask(index, ranking, until: end, others: others, obedience), index)
        }
        for (place, index) in plan.probes.enumerated() where asked.reports[index] == nil {
            let others = plan.probes.count - place - 1
            let probed = min(end, time.uptime() + withoutRepeats(index, ranking))
            asked.add(try await ask(index, ranking, until: probed, others: others, obedience), index)
        }
        let change = failover.settle(answered: asked.answered)
        let best = asked.answered.contains(failover.serving) ? failover.serving : asked.leastBad
        guard let best, var report = asked.reports[best] else { return nobodyAsked(ranking) }
        report.requests = asked.reports.values.reduce(0) { $0 + $1.requests }
        var turn = Turn(
            report: report, feed: members[best].feed.name, unmapped: watch(best, ranking).unmapped)
        turn.change = change.map { change in
            Turn.Change(
                from: members[change.from].feed.name, to: members[change.to].feed.name,
                isRestored: change.isRestored, error: asked.reports[change.from]?.failure)
        }
        for (index, report) in asked.reports { turn.reports[members[index].feed.name] = report }
        return turn
    }

    /// Where no feed has a name for any market, that is the answer.
    private func nobodyAsked(_ ranking: [MarketID]) -> Turn {
        let (watch, unmapped) = watch(failover.serving, ranking)
        let nothing = PollReport(outcome: .answered(FeedAnswer(fetchedAt: time.now())), requests: 0)
        return Turn(report: watch.isEmpty ? nothing : Self.noTime, feed: serving.name, unmapped: unmapped)
    }

    /// Nil where no time is left, or nothing to ask for. One that hangs leaves time for the others.
    private func ask(
        _ index: Int, _ ranking: [MarketID], until end: Duration, others: Int, _ obedience: WaitObedience
    ) async throws(CancellationError) -> PollReport? {
        let left = end - time.uptime()
        let watch = watch(index, ranking).watch
        guard left > .zero, !watch.isEmpty else { return nil }
        let report = try await members[index].feed.poll(
            watch, within: others > 0 ? left / 2 : left, obeying: obedience)
        failover.note(report.result, of: index, at: time.now())
        return report
    }

    /// How long a feed's requests take where each hangs once: the prices of the one that serves wait no longer for a
    /// probe.
    private func withoutRepeats(_ index: Int, _ ranking: [MarketID]) -> Duration {
        let feed = members[index].feed
        return feed.client.environment.timeout * max(1, feed.pages(for: watch(index, ranking).watch))
    }

    /// The feeds asked in one poll.
    private struct Asked {
        var reports: [Int: PollReport] = [:]
        /// In the order in which they were asked.
        var order: [Int] = []
        /// Those that brought a price.
        var answered: [Int] = []

        mutating func add(_ report: PollReport?, _ index: Int) {
            guard let report else { return }
            reports[index] = report
            order.append(index)
            if report.result == .good { answered.append(index) }
        }

        /// An answer without a price says more than a failure, a failure more than a wait.
        var leastBad: Int? {
            order.first { if case .answered = reports[$0]?.outcome { true } else { false } }
                ?? order.first { if case .failed = reports[$0]?.outcome { true } else { false } } ?? order.first
        }
    }

    private static let noTime = PollReport(
        outcome: .failed(
            FeedError(.timeout, operation: "poll", cause: "there was no time to ask", isRetryable: true)), requests: 0)

    /// The preferred feed ranks the markets. Another one's ranking would be another watchlist: it is asked for the
    /// markets of the last ranking by name, and for its own where there has been none yet.
    private func watch(_ index: Int, _ ranking: [MarketID]) -> (watch: Watch, unmapped: [MarketID]) {
        let member = members[index]
        guard index > 0, member.watch.top > 0, !ranking.isEmpty else { return (member.watch, member.unmapped) }
        var watch = member.watch
        var unmapped = member.unmapped
        let named = Set(watch.entries.map(\.market)).union(unmapped)
        for market in ranking.prefix(watch.top) where !named.contains(market) {
            if let name = member.name(market) {
                watch.entries.append(Watch.Entry(market, providerID: name))
            } else {
                unmapped.append(market)
            }
        }
        watch.top = 0
        return (watch, unmapped)
    }
}

extension PollReport {
    fileprivate var result: Failover.Result {
        switch outcome {
        case .answered(let answer): answer.quotes.isEmpty ? .failed : .good
        case .failed: .failed
        case .waiting(_, let until): .waiting(until: until)
        }
    }

    fileprivate var failure: FeedError? {
        switch outcome {
        case .answered(let answer): answer.noUsablePrice
        case .failed(let error): error
        case .waiting: nil
        }
    }
}
