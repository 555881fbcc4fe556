import Foundation
import Markets

/// The decision on one alert in one evaluation.
struct Verdict: Hashable, Sendable {
    var state: AlertState
    /// Why the change is announced; nil: nothing is.
    var reason: AlertReason?

    init(_ state: AlertState, _ reason: AlertReason? = nil) {
        self.state = state
        self.reason = reason
    }
}

/// The state of an alert after an observation. Pure; unknown data changes nothing.
///
/// - Parameters:
///   - longestStep: Two answers further apart than this add nothing to the times that `for` and
///     `keep_firing_for` count.
///   - now: When the poll was answered.
func verdict(
    on rule: AlertRule, from state: AlertState, seeing observation: Observation, longestStep: Duration, now: Date
) -> Verdict {
    guard let isMet = rule.condition.isMet(by: observation) else {
        return Verdict(state)
    }
    switch state {
    case .latched where rule.once:
        return Verdict(state)
    case .dormant:
        return Verdict(isMet ? .dormant : .inactive)
    case .inactive, .latched:
        guard isMet else { return Verdict(.inactive) }
        guard rule.holdFor > .zero else { return fire(rule, seeing: observation, now: now) }
        return Verdict(.pending(since: now, held: WatchedTime(lastAnswered: now)), .firstMet)
    case .pending(let since, let held):
        guard isMet else { return Verdict(.inactive) }
        let held = held.counting(to: now, longestStep: longestStep)
        if held.total >= nearly(rule.holdFor, longestStep) { return fire(rule, seeing: observation, now: now) }
        return Verdict(.pending(since: since, held: held))
    case .firing(let firing):
        return goOn(rule, from: firing, isMet: isMet, seeing: observation, longestStep: longestStep, now: now)
    }
}

/// `time` less a tenth of an interval (at most a second or half of `time`): an answer may come slightly early, and ten
/// polls must not become eleven.
private func nearly(_ time: Duration, _ longestStep: Duration) -> Duration {
    time - min(.seconds(1), longestStep / 30, time / 2)
}

private func fire(_ rule: AlertRule, seeing observation: Observation, now: Date) -> Verdict {
    let firing = AlertState.Firing(
        since: now, lastNotified: now, notifiedPrice: observation.price, side: rule.condition.side(of: observation))
    return Verdict(.firing(firing), .firstFiring)
}

private func goOn(
    _ rule: AlertRule, from firing: AlertState.Firing, isMet: Bool, seeing observation: Observation,
    longestStep: Duration, now: Date
) -> Verdict {
    var firing = firing
    if isMet { firing.side = rule.condition.side(of: observation) }
    var hasEnded = !isMet
    if let clear = rule.clear, let price = observation.price {
        hasEnded = !isMet && rule.condition.isCleared(by: price, at: clear, from: firing.side)
    }
    if hasEnded {
        let clearedFor =
            firing.clearedFor?.counting(to: now, longestStep: longestStep) ?? WatchedTime(lastAnswered: now)
        if clearedFor.total >= nearly(rule.keepFiringFor, longestStep) {
            return Verdict(rule.once ? .latched : .inactive, .conditionEnded)
        }
        firing.clearedFor = clearedFor
        return Verdict(.firing(firing))
    }
    firing.clearedFor = nil
    let reason: AlertReason
    if let percent = rule.repeatOnMove, isMet, hasMoved(percent, since: firing, rule.condition, observation) {
        reason = .movedFurther
    } else if let interval = rule.repeatEvery, now.since(firing.lastNotified) >= nearly(interval, longestStep) {
        reason = .repeatInterval
    } else {
        return Verdict(.firing(firing))
    }
    firing.lastNotified = now
    firing.notifiedPrice = observation.price
    return Verdict(.firing(firing), reason)
}

private func hasMoved(
    _ percent: Percent, since firing: AlertState.Firing, _ condition: AlertRule.Condition, _ observation: Observation
) -> Bool {
    guard let notified = firing.notifiedPrice, let price = observation.price else { return false }
    return switch condition.direction(of: observation) {
    case .up: price.hasRisen(percent, from: notified)
    case .down: price.hasFallen(percent, from: notified)
    }
}

extension Observation {
    var price: Price? {
        if case .price(let price, _) = self { price } else { nil }
    }
}
