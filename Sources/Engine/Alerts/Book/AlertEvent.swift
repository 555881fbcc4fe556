import Foundation
import Markets

/// An announced change of an alert; log, status file and messages are written from it.
package struct AlertEvent: Hashable, Sendable {
    package var id: String
    package var kind = Kind.pending
    package var reason = AlertReason.firstMet
    package var rule = ""
    package var market = MarketID.feed
    package var symbol = ""
    package var name = ""
    package var currency = Currency.usd
    package var severity = AlertRule.Severity.warning
    package var note: String?
    package var condition = AlertRule.Condition.stale(.zero)
    package var price: Price?
    package var threshold: Price?
    package var changePercent: Percent?
    /// When it was decided.
    package var at = Date.distantPast
    package var quotedAt: Date?
    /// When the condition began to hold; for `resolved`, when the alert began to fire.
    package var since: Date?
    /// Whole seconds by which it may be late because of a gap; nil: no gap.
    package var lateSeconds: Int?
    package var silencedUntil: Date?
    package var feed: String?
    package var host = ""

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case pending, firing, reminder, resolved
    }

    /// The id of an announcement: 16 hexadecimal digits, the same whenever the same announcement is made again.
    ///
    /// Derived from the alert, its condition and the number of announcements before, so that a daemon that could not
    /// write and was restarted repeats an announcement under the same id.
    static func id(
        installation: String, key: AlertKey, condition: AlertRule.Condition, announcement: Int
    ) -> String {
        StableID.of([installation, key.rule, key.market.text, condition.description, String(announcement)])
    }
}

extension AlertEvent {
    package var key: AlertKey { AlertKey(rule: rule, market: market) }

    /// The page of its market; an event about a feed names the feed in place of a market.
    package func link(on page: PageURL) -> String {
        if case .feedStale = condition { page.status } else { page.market(market) }
    }
}

extension AlertReason {
    /// The kind of event announced for this reason.
    var announcement: AlertEvent.Kind {
        switch self {
        case .firstMet: .pending
        case .firstFiring: .firing
        case .repeatInterval, .movedFurther, .silenceEnded: .reminder
        case .conditionEnded, .edited, .amountsEdited, .disabled, .removed, .expired, .unwatched: .resolved
        }
    }
}

extension LogLine {
    /// Rule, market, price, threshold, severity, id, in this order, then the rest.
    package static func alert(_ event: AlertEvent) -> LogLine {
        let level: Level = event.kind == .firing || event.kind == .reminder ? .warning : .info
        return LogLine(level, "alert.\(event.kind.rawValue)") { line in
            line.add("rule", event.rule)
            line.add("market", event.market.text)
            line.add("price", event.price)
            line.add("threshold", event.threshold)
            line.add("severity", event.severity.rawValue)
            line.add("event_id", event.id)
            line.add("reason", event.reason.word)
            line.add("condition", event.condition.description)
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
