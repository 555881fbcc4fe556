import Foundation
import Markets

/// The decision on one alert in one turn.
public struct Verdict: Hashable, Sendable {
    public var state: AlertState
    public var reason: AlertReason

    public init(_ state: AlertState, _ reason: AlertReason) {
        self.state = state
        self.reason = reason
    }
}

/// Where an alert stands after an observation. Pure and total; unknown data changes nothing.
///
/// - Parameters:
///   - longestStep: Two answers further apart than this add nothing to the times that `for` and
///     `keep_firing_for` count.
///   - now: When the poll was answered.
public func evaluate(
    _ rule: AlertRule, from state: AlertState, seeing observation: Observation, longestStep: Duration, now: Date
) -> Verdict {
    guard let isMet = rule.condition.isMet(by: observation) else {
        return Verdict(state, observation == .unknown(.notCovered) ? .heldUncovered : .heldUnknown)
    }
    switch state {
    case .resting where rule.once:
        return Verdict(state, .resting)
    case .inactive, .resting:
        guard isMet else { return Verdict(.inactive, .quiet) }
        guard rule.holdFor > .zero else { return fire(rule, seeing: observation, now: now) }
        return Verdict(.pending(since: now, held: WatchedTime(lastAnswered: now)), .firstMet)
    case .pending(let since, let held):
        guard isMet else { return Verdict(.inactive, .quiet) }
        let held = held.counting(to: now, longestStep: longestStep)
        if held.total >= nearly(rule.holdFor, longestStep) { return fire(rule, seeing: observation, now: now) }
        return Verdict(.pending(since: since, held: held), .waiting)
    case .firing(let firing):
        return goOn(rule, from: firing, isMet: isMet, seeing: observation, longestStep: longestStep, now: now)
    }
}

/// What counts as this time. An answer that took a little less than the one before comes early, and what was to last ten
/// polls would last eleven: short of it by a tenth of an interval, a second or half the time at most.
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
        let fading = firing.fading?.counting(to: now, longestStep: longestStep) ?? WatchedTime(lastAnswered: now)
        if fading.total >= nearly(rule.keepFiringFor, longestStep) {
            return Verdict(rule.once ? .resting : .inactive, .conditionEnded)
        }
        firing.fading = fading
        return Verdict(.firing(firing), .keptFiring)
    }
    firing.fading = nil
    let reason: AlertReason
    if let percent = rule.repeatOnMove, isMet, hasMoved(percent, since: firing, rule.condition, observation) {
        reason = .movedFurther
    } else if let interval = rule.repeatEvery, now.since(firing.lastNotified) >= nearly(interval, longestStep) {
        reason = .repeatInterval
    } else {
        return Verdict(.firing(firing), .stillFiring)
    }
    firing.lastNotified = now
    firing.notifiedPrice = observation.price
    return Verdict(.firing(firing), reason)
}

private func hasMoved(
    _ percent: Percent, since firing: AlertState.Firing, _ condition: AlertRule.Condition, _ observation: Observation
) -> Bool {
    guard let told = firing.notifiedPrice, let price = observation.price else { return false }
    return switch condition.direction(of: observation) {
    case .up: price.hasRisen(percent, from: told)
    case .down: price.hasFallen(percent, from: told)
    }
}

extension Observation {
    public var price: Price? {
        if case .price(let price, _) = self { price } else { nil }
    }
}
