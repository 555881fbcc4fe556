import Foundation
import Markets

/// Which alert: one rule on one market. It stays the same across restarts and edits of other rules.
public struct AlertKey: Hashable, Sendable {
    public var rule: String
    public var market: MarketID

    public init(rule: String, market: MarketID) {
        self.rule = rule
        self.market = market
    }
}

/// Where an alert stands.
public enum AlertState: Hashable, Sendable {
    case inactive
    /// The condition is true and has not yet held for long enough.
    case pending(since: Date, held: WatchedTime)
    case firing(Firing)
    /// It fired once and was to fire once.
    case resting

    public struct Firing: Hashable, Sendable {
        /// When it began to fire.
        public var since: Date
        /// When its owner was last told, and at which price.
        public var lastNotified: Date
        public var notifiedPrice: Price?
        /// Of a condition with two sides: on which of them it last held.
        public var side: AlertRule.Condition.Direction?
        /// The condition has ended and the alert fires on for a while: for how long already.
        public var fading: WatchedTime?

        public init(
            since: Date, lastNotified: Date, notifiedPrice: Price? = nil, side: AlertRule.Condition.Direction? = nil,
            fading: WatchedTime? = nil
        ) {
            self.since = since
            self.lastNotified = lastNotified
            self.notifiedPrice = notifiedPrice
            self.side = side
            self.fading = fading
        }
    }

    /// Since when it has been so; nil while nothing is the matter.
    public var since: Date? {
        switch self {
        case .inactive, .resting: nil
        case .pending(let since, _): since
        case .firing(let firing): firing.since
        }
    }

    /// Of a condition with two sides: on which of them it last held; nil where the alert does not fire.
    var side: AlertRule.Condition.Direction? {
        if case .firing(let firing) = self { firing.side } else { nil }
    }

    public var isFiring: Bool {
        if case .firing = self { true } else { false }
    }
}

/// Time counted from answer to answer. A step that nobody watched adds nothing.
public struct WatchedTime: Hashable, Sendable {
    public private(set) var total: Duration
    public private(set) var lastAnswered: Date

    public init(total: Duration = .zero, lastAnswered: Date) {
        self.total = total
        self.lastAnswered = lastAnswered
    }

    /// - Parameter longestStep: Two answers further apart than this add nothing.
    func counting(to now: Date, longestStep: Duration) -> WatchedTime {
        let step = now.since(lastAnswered)
        return WatchedTime(
            total: (.zero...longestStep).contains(step) ? total + step : total, lastAnswered: now)
    }
}

/// An alert as it is kept from poll to poll and across restarts.
public struct Alert: Hashable, Sendable {
    public var state: AlertState
    /// The condition it was judged by; when an edit changes it, the alert starts anew.
    public var condition: String
    /// Counts the announcements ever made for this alert, and so tells them apart.
    public var announcements: Int

    public init(state: AlertState = .inactive, condition: String, announcements: Int = 0) {
        self.state = state
        self.condition = condition
        self.announcements = announcements
    }
}
