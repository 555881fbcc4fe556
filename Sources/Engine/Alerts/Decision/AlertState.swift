import Foundation
import Markets

/// Identifies an alert: one rule on one market. It stays the same across restarts and edits of other rules.
package struct AlertKey: Hashable, Sendable {
    package var rule: String
    package var market: MarketID

    package init(rule: String, market: MarketID) {
        self.rule = rule
        self.market = market
    }
}

/// The state of an alert.
package enum AlertState: Hashable, Sendable {
    case inactive
    /// The condition is true and has not yet held for long enough.
    case pending(since: Date, held: WatchedTime)
    case firing(Firing)
    /// Latched: a `once` rule that has fired.
    case latched
    /// The condition holds by an edit of the portfolio's amounts, and not by a move of the market. It fires when it
    /// has ended and holds again.
    case dormant

    package struct Firing: Hashable, Sendable {
        /// When it began to fire.
        package var since: Date
        /// When the last notification was made; `notifiedPrice` is the price at that time.
        package var lastNotified: Date
        package var notifiedPrice: Price?
        /// Of a condition with two sides: on which of them it last held.
        package var side: AlertRule.Condition.Direction?
        /// The time since the condition ended, while `keep_firing_for` keeps the alert firing; nil while the condition
        /// holds.
        package var clearedFor: WatchedTime?

        package init(
            since: Date, lastNotified: Date, notifiedPrice: Price? = nil, side: AlertRule.Condition.Direction? = nil,
            clearedFor: WatchedTime? = nil
        ) {
            self.since = since
            self.lastNotified = lastNotified
            self.notifiedPrice = notifiedPrice
            self.side = side
            self.clearedFor = clearedFor
        }
    }

    /// When it became pending or began to fire; nil in other states.
    package var since: Date? {
        switch self {
        case .inactive, .latched, .dormant: nil
        case .pending(let since, _): since
        case .firing(let firing): firing.since
        }
    }

    /// Of a condition with two sides: on which of them it last held; nil if the alert does not fire.
    var side: AlertRule.Condition.Direction? {
        if case .firing(let firing) = self { firing.side } else { nil }
    }

    package var isFiring: Bool {
        if case .firing = self { true } else { false }
    }
}

/// Watched time, summed from answer to answer; gaps add nothing.
package struct WatchedTime: Hashable, Sendable {
    package private(set) var total: Duration
    package private(set) var lastAnswered: Date

    package init(total: Duration = .zero, lastAnswered: Date) {
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

/// An alert as stored between polls and across restarts.
package struct Alert: Hashable, Sendable {
    package var state: AlertState
    /// The condition it was evaluated by; if an edit changes it, the alert starts over.
    package var condition: AlertRule.Condition
    /// The number of announcements ever made for this alert; part of each event's id.
    package var announcements: Int
    /// Of its last event; nil: there was none.
    package var currency: Currency?

    package init(state: AlertState = .inactive, condition: AlertRule.Condition, announcements: Int = 0) {
        self.state = state
        self.condition = condition
        self.announcements = announcements
    }
}

/// Why a change of an alert is announced.
package enum AlertReason: String, Hashable, Sendable, CaseIterable {
    /// The condition is met for the first time.
    case firstMet = "first_met"
    case firstFiring = "first_firing"
    /// The next reminder is due.
    case repeatInterval = "repeat_interval"
    /// The price moved further since the last message.
    case movedFurther = "moved_further"
    /// A silence ended while it fires.
    case silenceEnded = "silence_ended"
    /// The condition ended, or the price reached `clear`.
    case conditionEnded = "condition_ended"
    /// The rule or the market was changed or removed.
    case edited, disabled, removed, expired, unwatched
    /// The amounts of the portfolio were edited; only messages tell it from `edited`.
    case amountsEdited = "amounts_edited"

    /// In logs and JSON.
    package var word: String { (self == .amountsEdited ? .edited : self).rawValue }
}
