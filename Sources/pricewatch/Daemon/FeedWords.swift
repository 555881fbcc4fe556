import Engine
import Feeds
import Foundation
import Logging
import Markets

extension Answer {
    /// A feed's answer as the board takes it.
    ///
    /// - Parameter unmapped: markets that the feed was not asked for, since it has no name for them.
    init(
        _ answer: FeedAnswer, from feed: String, lanes: [Lane] = [.shared], interval: Duration = .zero,
        wanted top: Int, unmapped: [MarketID] = []
    ) {
        var unusable: [MarketID: UnknownReason] = answer.unusable.mapValues(UnknownReason.init)
        for market in unmapped { unusable[market] = .noMapping }
        self.init(
            quotes: answer.quotes, unusable: unusable,
            // An incomplete ranking would drop markets that are still among the largest, and a feed that stands in has
            // none.
            ranking: top > 0 && !answer.top.isEmpty && !answer.topIsIncomplete ? answer.top : nil,
            unreached: Set(answer.notReached), rankingIsUnreached: answer.topIsIncomplete,
            notModified: answer.isUnchanged, feed: feed, lanes: lanes, interval: interval,
            fetchedAt: answer.fetchedAt)
    }
}

extension UnknownReason {
    init(_ fault: RowFault) {
        self =
            switch fault {
            case .nullPrice, .absentPrice: .nullPrice
            case .badPrice, .badTime: .badPrice
            }
    }
}

extension FeedError {
    /// The answer was sound and holds nothing that can be used.
    static func empty(of feed: String, _ cause: String) -> FeedError {
        FeedError(.empty, operation: "poll \(feed)", cause: cause, isRetryable: true)
    }
}

extension Digest {
    /// Which markets have no price, and why, for people.
    var explanation: String {
        let unknown = unknown.filter { $0.reason != .oldQuote && $0.reason != .unconfirmed }
        let named = unknown.prefix(3).map { "\($0.market) (\($0.reason.rawValue))" }.joined(separator: ", ")
        let others = unknown.count > 3 ? " and \(unknown.count - 3) more" : ""
        return unknown.isEmpty ? "no market answered" : "no usable price of \(named)\(others)"
    }
}

extension StatusReport.PollError {
    init(_ error: FeedError) {
        self.init(
            kind: error.label, message: error.message, retryable: error.isRetryable, retryAt: error.notBefore?.at)
    }
}

extension StatusReport.Feed {
    /// What is to be said of each feed, in the order of the configuration.
    static func list(_ lanes: Lanes, _ states: FeedStates, _ configured: [Configuration.Feed]) -> [Self] {
        configured.compactMap { feed in
            let asking = lanes.lines.filter { $0.plan.members.contains { $0.feed.name == feed.name } }
            return asking.isEmpty ? nil : Self(feed, askedBy: asking, states)
        }
    }

    private init(_ configured: Configuration.Feed, askedBy lines: [Lanes.Line], _ states: FeedStates) {
        var (serves, coolsUntil, quotaEnd): (Bool, Date?, Date?) = (false, nil, nil)
        for line in lines {
            guard let state = states[line] else { continue }
            coolsUntil = state.coolsUntil[configured.name] ?? coolsUntil
            guard state.serving.name == configured.name else { continue }
            serves = true
            quotaEnd = [quotaEnd, line.pace.quotaEnd].compactMap { $0 }.min()
        }
        let asked = states[feed: configured.name]
        let wait = asked?.wait
        let state: String =
            switch wait {
            case .some(let (wait, _)) where wait.isBlock: "blocked"
            case .some: "cooling"
            case nil: coolsUntil != nil ? "cooling" : serves ? "serving" : "standby"
            }
        self.init(
            name: configured.name, state: state, nextTryAt: [wait?.until, coolsUntil].compactMap { $0 }.max(),
            requestsThisMonth: asked?.requestsThisMonth ?? 0, quota: configured.monthlyQuota,
            quotaEndsAt: quotaEnd)
    }
}

extension EventLog {
    /// Tells of what happens within polls, until the feed or the task ends.
    func follow(_ feed: Feed) -> Task<Void, Never> {
        Task {
            for await case .retry(let retry) in await feed.pollEvents() {
                write(.info, "poll.retry") { line in
                    line.add("feed", retry.feed)
                    line.add("attempt", retry.attempt)
                    line.add("delay", retry.delay)
                    line.add("kind", retry.error.label)
                    line.add("message", retry.error.message)
                }
            }
        }
    }

    func write(_ change: FailoverFeed.Turn.Change) {
        write(change.isRestored ? .info : .warning, change.isRestored ? "feed.restored" : "feed.switched") { line in
            line.add("feed", change.to)
            line.add("from", change.from)
            line.add("kind", change.error?.label)
            line.add("message", change.error?.message)
        }
    }

    /// Rule, market, price, threshold, severity, id, in this order, then the rest.
    func write(_ event: AlertEvent) {
        let level: Logger.Level = event.kind == .firing || event.kind == .reminder ? .warning : .info
        write(level, "alert.\(event.kind.rawValue)") { line in
            line.add("rule", event.rule)
            line.add("market", event.market.text)
            line.add("price", event.price)
            line.add("threshold", event.threshold)
            line.add("severity", event.severity.rawValue)
            line.add("event_id", event.id)
            line.add("reason", event.reason.rawValue)
            line.add("condition", event.condition)
            line.add("change_percent", event.changePercent)
            line.add("symbol", event.symbol)
            line.add("currency", event.currency.code)
            line.add("quoted_at", event.quotedAt)
            line.add("since", event.since)
            line.add("late_s", event.lateSeconds)
            line.add("silenced_until", event.silencedUntil)
            line.add("note", event.note)
        }
    }
}
