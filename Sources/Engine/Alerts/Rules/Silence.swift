import Foundation
import Markets

/// No messages of a rule, or of all, for a while; the alerts' states go on.
public struct Silence: Hashable, Sendable {
    public var id: Int64
    /// nil: every rule.
    public var rule: String?
    /// nil: every market.
    public var market: MarketID?
    public var since: Date
    /// From then on there are messages again.
    public var until: Date

    public init(id: Int64, rule: String?, market: MarketID?, since: Date, until: Date) {
        self.id = id
        self.rule = rule
        self.market = market
        self.since = since
        self.until = until
    }

    public func covers(_ key: AlertKey) -> Bool {
        (rule == nil || rule == key.rule) && (market == nil || market == key.market)
    }
}

extension [Silence] {
    /// Until when an alert is silenced at `now`; nil where it is not.
    public func end(for key: AlertKey, at now: Date) -> Date? {
        lazy.filter { $0.until > now && $0.covers(key) }.map(\.until).max()
    }
}
