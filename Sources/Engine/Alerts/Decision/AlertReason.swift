import Markets

/// Why an alert is where it is after an evaluation.
public enum AlertReason: String, Hashable, Sendable, CaseIterable {
    /// The condition is not met.
    case quiet
    /// The condition is met and waits for its time.
    case waiting
    /// It has just begun to wait.
    case firstMet = "first_met"
    /// No price is known, so nothing changes.
    case heldUnknown = "held_unknown"
    /// Too little of the window was watched, so nothing changes.
    case heldUncovered = "held_uncovered"
    case firstFiring = "first_firing"
    case stillFiring = "still_firing"
    /// The condition has ended, and the alert fires on for `keep_firing_for`.
    case keptFiring = "kept_firing"
    /// Time for the next reminder.
    case repeatInterval = "repeat_interval"
    /// The price moved further since the last message.
    case movedFurther = "moved_further"
    /// A silence ended while it fires.
    case silenceEnded = "silence_ended"
    /// The condition ended, or the price reached `clear`.
    case conditionEnded = "condition_ended"
    /// It has fired once and was to fire once.
    case resting
    /// The owner changed or removed what the alert stood on.
    case edited, disabled, removed, expired, unwatched

    /// What is announced for this reason, if anything.
    public var announcement: AlertEvent.Kind? {
        switch self {
        case .firstMet: .pending
        case .firstFiring: .firing
        case .repeatInterval, .movedFurther, .silenceEnded: .reminder
        case .conditionEnded, .edited, .disabled, .removed, .expired, .unwatched: .resolved
        case .quiet, .waiting, .heldUnknown, .heldUncovered, .stillFiring, .keptFiring, .resting: nil
        }
    }
}
