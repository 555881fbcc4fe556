public import Foundation

/// What a rule gets to see of its market in one poll.
public enum Observation: Hashable, Sendable {
    /// The poll answered the market, and this is its price now.
    case price(Price)
    /// There is no price to rely on: unknown, missing, stale, or the poll failed.
    case unknown
}

/// Why an alert is where it is after an evaluation.
public enum AlertReason: String, Hashable, Sendable {
    /// The condition is not met.
    case quiet
    /// The condition is met and waits for its time.
    case waiting
    /// It has just begun to wait.
    case firstMet = "first_met"
    /// Nothing is known, so nothing changes.
    case heldUnknown = "held_unknown"
    case firstFiring = "first_firing"
    case stillFiring = "still_firing"
    /// The condition ended, or the price reached `clear`.
    case conditionEnded = "condition_ended"
    /// The owner changed or removed what the alert stood on.
    case edited, disabled, removed, unwatched
}

/// The decision on one alert in one poll.
public struct Verdict: Hashable, Sendable {
    public var state: AlertState
    public var reason: AlertReason

    /// What is to be announced, if anything.
    public var announcement: AlertEvent.Kind? {
        switch reason {
        case .firstMet: .pending
        case .firstFiring: .firing
        case .conditionEnded, .edited, .disabled, .removed, .unwatched: .resolved
        case .quiet, .waiting, .heldUnknown, .stillFiring: nil
        }
    }
}

/// Where an alert stands after an observation. Pure and total; unknown data changes nothing.
///
/// - Parameters:
///   - longestStep: Two answers further apart than this add nothing to the time that `for` counts.
///   - now: When the poll was answered.
public func evaluate(
    _ rule: AlertRule, from state: AlertState, seeing observation: Observation, longestStep: Duration, now: Date
) -> Verdict {
    guard case .price(let price) = observation else { return Verdict(state: state, reason: .heldUnknown) }
    switch state {
    case .inactive:
        guard rule.condition.isMet(by: price) else { return Verdict(state: .inactive, reason: .quiet) }
        if rule.holdFor > .zero {
            return Verdict(state: .pending(since: now, held: .zero, lastAnswered: now), reason: .firstMet)
        }
        return Verdict(state: .firing(since: now), reason: .firstFiring)
    case .pending(let since, let held, let lastAnswered):
        guard rule.condition.isMet(by: price) else { return Verdict(state: .inactive, reason: .quiet) }
        let step = now.since(lastAnswered)
        let held = (.zero...longestStep).contains(step) ? held + step : held
        if held >= rule.holdFor { return Verdict(state: .firing(since: now), reason: .firstFiring) }
        return Verdict(state: .pending(since: since, held: held, lastAnswered: now), reason: .waiting)
    case .firing:
        let resolved =
            rule.clear.map { rule.condition.isCleared(by: price, at: $0) } ?? !rule.condition.isMet(by: price)
        return resolved
            ? Verdict(state: .inactive, reason: .conditionEnded) : Verdict(state: state, reason: .stillFiring)
    }
}

extension AlertRule.Condition {
    func isMet(by price: Price) -> Bool {
        switch self {
        case .above(let threshold): price > threshold
        case .below(let threshold): price < threshold
        }
    }

    /// The price has come back to `level`, or beyond it.
    func isCleared(by price: Price, at level: Price) -> Bool {
        switch self {
        case .above: price <= level
        case .below: price >= level
        }
    }
}
