public import Foundation

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
    case pending(since: Date, held: Duration, lastAnswered: Date)
    case firing(since: Date)
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
