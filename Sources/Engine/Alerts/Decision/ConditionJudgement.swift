import Foundation
import Markets

extension AlertRule.Condition {
    /// Whether the observation meets the condition, exactly; nil if the condition does not apply to it.
    func isMet(by observation: Observation) -> Bool? {
        switch (self, observation) {
        case (_, .unknown): nil
        case (.above(let threshold), .price(let price, _)): price > threshold
        case (.below(let threshold), .price(let price, _)): price < threshold
        case (.outside, .price), (.moves, .price): side(of: observation) != nil
        case (.rises(let percent, _), .price(let price, let range)):
            range.map { price.hasRisen(percent, from: $0.lowest) } ?? false
        case (.falls(let percent, _), .price(let price, let range)):
            range.map { price.hasFallen(percent, from: $0.highest) } ?? false
        case (.newHigh, .price(let price, let range)): range.map { price > $0.highest } ?? false
        case (.newLow, .price(let price, let range)): range.map { price < $0.lowest } ?? false
        case (.stale(let limit), .silence(let length)), (.marketStale(let limit), .silence(let length)),
            (.feedStale(let limit), .silence(let length)):
            length >= limit
        case (.marketMissing(let limit), .misses(let count)): count >= limit
        // Conditions are named here, so that a new one does not compile before it is judged.
        case (.above, _), (.below, _), (.outside, _), (.moves, _), (.rises, _), (.falls, _), (.newHigh, _),
            (.newLow, _), (.stale, _), (.marketStale, _), (.feedStale, _), (.marketMissing, _):
            nil
        }
    }

    /// The price has come back to `level`, or beyond it.
    ///
    /// - Parameter side: for `outside`, the side on which the price left the range.
    func isCleared(by price: Price, at level: Price, from side: Direction?) -> Bool {
        switch self {
        case .above: price <= level
        case .below: price >= level
        case .outside: side == .up ? price <= level : price >= level
        default: true
        }
    }

    /// The side on which an observation meets a two-sided condition; nil if it does not, or the condition has one side.
    func side(of observation: Observation) -> Direction? {
        switch (self, observation) {
        case (.outside(let low, let high), .price(let price, _)): price < low ? .down : price > high ? .up : nil
        case (.moves(let percent, _), .price(let price, let range?)):
            switch (price.hasRisen(percent, from: range.lowest), price.hasFallen(percent, from: range.highest)) {
            case (true, true): Self.largerMove(of: price, in: range)
            case (true, false): .up
            case (false, true): .down
            case (false, false): nil
            }
        default: nil
        }
    }

    /// The larger move in percent as shown; if both are equal, the rise.
    private static func largerMove(of price: Price, in range: PriceRange) -> Direction {
        let (rise, fall) = (Percent(from: range.lowest, to: price), Percent(from: range.highest, to: price))
        return rise.hundredths >= -fall.hundredths ? .up : .down
    }

    package enum Direction: String, Hashable, Sendable, CaseIterable { case up, down }

    /// A two-sided condition as that of one side, for this observation.
    ///
    /// - Parameter last: where it does not hold now, the side on which it last held.
    private func oneSided(for observation: Observation, last: Direction?) -> Self {
        let side = side(of: observation) ?? last
        switch (self, observation) {
        case (.outside(let low, let high), .price): return side == .down ? .below(low) : .above(high)
        case (.moves(let percent, let window), .price(let price, let range?)):
            return side ?? Self.largerMove(of: price, in: range) == .up
                ? .rises(percent, within: window) : .falls(percent, within: window)
        default: return self
        }
    }

    /// The direction in which a price that meets the condition moves further into it.
    func direction(of observation: Observation) -> Direction {
        switch oneSided(for: observation, last: .up) {
        case .below, .falls, .newLow: .down
        default: .up
        }
    }

    /// The price at which the condition begins to hold, for this observation; nil if it is not about prices.
    ///
    /// - Parameter side: for a two-sided condition that does not hold now, the side on which it last held.
    func threshold(for observation: Observation, onSide side: Direction?) -> Price? {
        switch (oneSided(for: observation, last: side), observation) {
        case (.above(let threshold), _), (.below(let threshold), _): threshold
        case (.rises(let percent, _), .price(_, let range?)): range.lowest.moved(percent)
        case (.falls(let percent, _), .price(_, let range?)): range.highest.moved(percent.negated)
        case (.newHigh, .price(_, let range?)): range.highest
        case (.newLow, .price(_, let range?)): range.lowest
        default: nil
        }
    }

    /// The change from the price that it is compared with; nil for a level.
    ///
    /// - Parameter side: as for the threshold.
    func change(in observation: Observation, onSide side: Direction?) -> Percent? {
        guard case .price(let price, let range?) = observation else { return nil }
        return switch oneSided(for: observation, last: side) {
        case .rises, .newLow: Percent(from: range.lowest, to: price)
        case .falls, .newHigh: Percent(from: range.highest, to: price)
        default: nil
        }
    }
}

extension Price {
    /// It lies `percent` or more above `other`, exactly.
    func hasRisen(_ percent: Percent, from other: Price) -> Bool {
        Self.compare(self, 10_000, other, 10_000 + percent.hundredths) >= 0
    }

    /// It lies `percent` or more below `other`, exactly.
    func hasFallen(_ percent: Percent, from other: Price) -> Bool {
        percent.hundredths < 10_000 && Self.compare(self, 10_000, other, 10_000 - percent.hundredths) <= 0
    }

    /// It lies more than `percent` above or below `other`, exactly.
    func hasMoved(moreThan percent: Percent, from other: Price) -> Bool {
        if Self.compare(self, 10_000, other, 10_000 + percent.hundredths) > 0 { return true }
        return percent.hundredths < 10_000 && Self.compare(self, 10_000, other, 10_000 - percent.hundredths) < 0
    }

    /// The price `percent` away; nil if it is out of range.
    func moved(_ percent: Percent) -> Price? {
        Price(decimal * (10_000 + Decimal(percent.hundredths)) / 10_000)
    }

    /// The sign of `left` × `leftFactor` − `right` × `rightFactor`. The doubles decide unless they are too close to be
    /// reliable.
    private static func compare(_ left: Price, _ leftFactor: Int64, _ right: Price, _ rightFactor: Int64) -> Int {
        let (a, b) = (left.double * Double(leftFactor), right.double * Double(rightFactor))
        if abs(a - b) > 1e-14 * max(a, b) { return a < b ? -1 : 1 }
        // Nearly equal: 18 digits times a factor of at most 15 more stay within 128 bits at the finer exponent.
        let finer = min(left.exponent, right.exponent)
        func scaled(_ price: Price, _ factor: Int64) -> Int128 {
            var scaled = Int128(price.significand) * Int128(factor)
            for _ in 0..<(price.exponent - finer) { scaled *= 10 }
            return scaled
        }
        let (x, y) = (scaled(left, leftFactor), scaled(right, rightFactor))
        return x == y ? 0 : x < y ? -1 : 1
    }
}

extension Percent {
    var negated: Percent { Percent(hundredths: -hundredths) }
}

/// What a rule sees of its market in one evaluation.
enum Observation: Hashable, Sendable {
    /// No reliable data: the poll brought no fresh price, or less than 80 % of the rule's window was watched.
    case unknown
    /// The poll returned the market's price; `among` holds the bounds of the window if the rule has one.
    case price(Price, among: PriceRange?)
    /// For conditions on staleness: how long there was nothing new.
    case silence(Duration)
    /// For conditions on missing prices: how many answers in a row lacked one.
    case misses(Int)
}

/// The lowest and the highest of the other prices of a window.
struct PriceRange: Hashable, Sendable {
    var lowest: Price
    var highest: Price
}
