import Markets

/// The reason for an alert's state after an evaluation.
package enum AlertReason: String, Hashable, Sendable, CaseIterable {
    /// The condition is not met.
    case quiet
    /// The condition is met, but not yet for as long as `for`.
    case waiting
    /// The condition is met for the first time.
    case firstMet = "first_met"
    /// No price is known, so nothing changes.
    case heldUnknown = "held_unknown"
    /// Too little of the window was watched, so nothing changes.
    case heldUncovered = "held_uncovered"
    case firstFiring = "first_firing"
    case stillFiring = "still_firing"
    /// The condition has ended, and the alert fires on for `keep_firing_for`.
    case keptFiring = "kept_firing"
    /// The next reminder is due.
    case repeatInterval = "repeat_interval"
    /// The price moved further since the last message.
    case movedFurther = "moved_further"
    /// A silence ended while it fires.
    case silenceEnded = "silence_ended"
    /// The condition ended, or the price reached `clear`.
    case conditionEnded = "condition_ended"
    /// Latched: a `once` rule that has fired.
    case latched
    /// The rule or the market was changed or removed.
    case edited, disabled, removed, expired, unwatched

    /// The kind of event announced for this reason; nil: none.
    package var announcement: AlertEvent.Kind? {
        switch self {
        case .firstMet: .pending
        case .firstFiring: .firing
        case .repeatInterval, .movedFurther, .silenceEnded: .reminder
        case .conditionEnded, .edited, .disabled, .removed, .expired, .unwatched: .resolved
        case .quiet, .waiting, .heldUnknown, .heldUncovered, .stillFiring, .keptFiring, .latched: nil
        }
    }
}
