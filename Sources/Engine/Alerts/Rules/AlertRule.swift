import Foundation
import Markets

/// An alert rule of the configuration: condition, markets, timing and channels.
package struct AlertRule: Hashable, Sendable {
    /// Unique among the rules; with the market it is the identity of an alert. 1 to 200 characters.
    package var name: String
    package var scope: Scope
    package var condition: Condition
    /// How long the condition must hold before the alert fires (`for`); zero: at once.
    package var holdFor = Duration.zero
    /// The price at which a firing alert resolves; nil: as soon as the condition ends.
    package var clear: Price?
    /// How much longer it fires after the condition ended; zero: not at all.
    package var keepFiringFor = Duration.zero
    /// The time from the last message to a reminder while it fires; nil: no reminders.
    package var repeatEvery: Duration?
    /// The further move since the last message that causes a reminder; nil: none.
    package var repeatOnMove: Percent?
    /// Fires once: latched after its first resolve until its condition is edited.
    package var once = false
    /// The rule has no effect from then on; nil: it does not expire.
    package var expires: Date?
    package var severity = Severity.warning
    package var note: String?
    /// Channels by name; nil: every channel, empty: only log and status.
    package var notify: [String]?
    package var enabled = true

    package func isExpired(at now: Date) -> Bool { expires.map { now >= $0 } ?? false }

    package enum Scope: Hashable, Sendable {
        case all
        case markets([MarketID])
        /// The provider of a source. Its alert has the feed's name where others have a market.
        case feed(MarketID, of: SourceID = .shared)

        package func covers(_ market: MarketID) -> Bool {
            switch self {
            case .all: true
            case .markets(let markets): markets.contains(market)
            case .feed(let feed, _): feed == market
            }
        }

        /// The source whose provider it is about; nil if it is about markets.
        var source: SourceID? {
            if case .feed(_, let source) = self { source } else { nil }
        }
    }

    package enum Severity: String, Hashable, Sendable, CaseIterable {
        case info, warning, critical
    }
}

extension AlertRule {
    package init(name: String, scope: Scope, condition: Condition) {
        self.init(name: name, scope: scope, condition: condition, holdFor: .zero)
    }
}

/// Suppresses the messages of a rule, or of all, for a time; the alerts' states still change.
package struct Silence: Hashable, Sendable {
    package var id: Int64
    /// nil: every rule.
    package var rule: String?
    /// nil: every market.
    package var market: MarketID?
    package var since: Date
    /// Messages are sent again from then on.
    package var until: Date

    package init(id: Int64, rule: String?, market: MarketID?, since: Date, until: Date) {
        self.id = id
        self.rule = rule
        self.market = market
        self.since = since
        self.until = until
    }

    package func covers(_ key: AlertKey) -> Bool {
        (rule == nil || rule == key.rule) && (market == nil || market == key.market)
    }
}

extension [Silence] {
    /// Until when an alert is silenced at `now`; nil if it is not.
    package func end(for key: AlertKey, at now: Date) -> Date? {
        lazy.filter { $0.until > now && $0.covers(key) }.map(\.until).max()
    }
}
