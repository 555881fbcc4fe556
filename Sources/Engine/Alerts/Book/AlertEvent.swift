import Foundation
import Markets

/// A change of an alert that its owner is told about: the one object behind log, status file and messages.
public struct AlertEvent: Hashable, Sendable {
    public var id: String
    public var kind: Kind
    public var reason: AlertReason
    public var rule: String
    public var market: MarketID
    public var symbol: String
    public var name: String
    public var currency: Currency
    public var severity: AlertRule.Severity
    public var note: String?
    public var condition: String
    public var price: Price?
    public var threshold: Price?
    public var changePercent: Percent?
    /// When it was decided.
    public var at: Date
    public var quotedAt: Date?
    /// When the condition began to hold; for `resolved`, when the alert began to fire.
    public var since: Date?
    /// Whole seconds by which it may be late because nobody watched; nil where somebody did.
    public var lateSeconds: Int?
    public var silencedUntil: Date?
    public var feed: String?
    public var host: String

    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case pending, firing, reminder, resolved
    }

    public init(
        id: String, kind: Kind, reason: AlertReason, rule: String, market: MarketID, symbol: String, name: String,
        currency: Currency, severity: AlertRule.Severity, note: String?, condition: String, price: Price?,
        threshold: Price?, changePercent: Percent? = nil, at: Date, quotedAt: Date?, since: Date?,
        lateSeconds: Int? = nil, silencedUntil: Date? = nil, feed: String?, host: String
    ) {
        self.id = id
        self.kind = kind
        self.reason = reason
        self.rule = rule
        self.market = market
        self.symbol = symbol
        self.name = name
        self.currency = currency
        self.severity = severity
        self.note = note
        self.condition = condition
        self.price = price
        self.threshold = threshold
        self.changePercent = changePercent
        self.at = at
        self.quotedAt = quotedAt
        self.since = since
        self.lateSeconds = lateSeconds
        self.silencedUntil = silencedUntil
        self.feed = feed
        self.host = host
    }

    /// The id of an announcement: 16 hexadecimal digits, the same whenever the same announcement is made again.
    ///
    /// It follows from the alert, its condition and how many announcements came before, so that a daemon
    /// that could not write and was restarted repeats an announcement under the same id.
    public static func id(installation: String, key: AlertKey, condition: String, announcement: Int) -> String {
        StableID.of([installation, key.rule, key.market.text, condition, String(announcement)])
    }
}
