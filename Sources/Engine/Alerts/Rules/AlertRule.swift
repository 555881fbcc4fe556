import Foundation
import Markets

/// What its owner wants to be told about, for which markets, and how insistently.
public struct AlertRule: Hashable, Sendable {
    /// Unique among the rules; with the market it is the identity of an alert. 1 to 200 characters.
    public var name: String
    public var scope: Scope
    public var condition: Condition
    /// How long the condition must hold before the alert fires (`for`); zero: at once.
    public var holdFor: Duration
    /// The price at which a firing alert resolves; nil: as soon as the condition ends.
    public var clear: Price?
    /// How much longer it fires after the condition ended; zero: not at all.
    public var keepFiringFor: Duration
    /// Reminds so long after the last message while it fires; nil: never.
    public var repeatEvery: Duration?
    /// Reminds when the price has moved so much further since the last message; nil: never.
    public var repeatOnMove: Percent?
    /// Rests after its first resolve until its condition is edited.
    public var once: Bool
    /// From then on it is as if it were not there; nil: never.
    public var expires: Date?
    public var severity: Severity
    public var note: String?
    /// Channels by name; nil: every channel, empty: log and status alone.
    public var notify: [String]?
    public var enabled: Bool

    public init(
        name: String, scope: Scope, condition: Condition, holdFor: Duration = .zero, clear: Price? = nil,
        keepFiringFor: Duration = .zero, repeatEvery: Duration? = nil, repeatOnMove: Percent? = nil,
        once: Bool = false, expires: Date? = nil, severity: Severity = .warning, note: String? = nil,
        notify: [String]? = nil, enabled: Bool = true
    ) {
        self.name = name
        self.scope = scope
        self.condition = condition
        self.holdFor = holdFor
        self.clear = clear
        self.keepFiringFor = keepFiringFor
        self.repeatEvery = repeatEvery
        self.repeatOnMove = repeatOnMove
        self.once = once
        self.expires = expires
        self.severity = severity
        self.note = note
        self.notify = notify
        self.enabled = enabled
    }

    public func isExpired(at now: Date) -> Bool { expires.map { now >= $0 } ?? false }

    public enum Scope: Hashable, Sendable {
        case all
        case markets([MarketID])
        /// The provider of a lane as a whole. Its alert carries the feed's name where others carry a market.
        case feed(MarketID, of: Lane = .shared)

        public func covers(_ market: MarketID) -> Bool {
            switch self {
            case .all: true
            case .markets(let markets): markets.contains(market)
            case .feed(let feed, _): feed == market
            }
        }

        /// The lane that it is about as a whole; nil where it is about markets.
        var lane: Lane? {
            if case .feed(_, let lane) = self { lane } else { nil }
        }
    }

    public enum Severity: String, Hashable, Sendable, CaseIterable {
        case info, warning, critical
    }
}
