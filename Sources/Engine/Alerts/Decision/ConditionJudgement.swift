import Foundation
import Markets

extension AlertRule.Condition {
    /// Whether the observation meets the condition, exactly; nil where it says nothing about it.
    public func isMet(by observation: Observation) -> Bool? {
        switch (self, observation) {
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
        default: nil
        }
    }

    /// The price has come back to `level`, or beyond it.
    ///
    /// - Parameter side: of a corridor, on which it had left it.
    func isCleared(by price: Price, at level: Price, from side: Direction?) -> Bool {
        switch self {
        case .above: price <= level
        case .below: price >= level
        case .outside: side == .up ? price <= level : price >= level
        default: true
        }
    }

    /// On which side an observation meets a condition that has two; nil where it does not, or the condition has one.
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

    /// As shown: of equal ones, the rise.
    private static func largerMove(of price: Price, in range: PriceRange) -> Direction {
        let (rise, fall) = (Percent(from: range.lowest, to: price), Percent(from: range.highest, to: price))
        return rise.hundredths >= -fall.hundredths ? .up : .down
    }

    /// Which way is further, seen from a price that meets the condition.
    func direction(of observation: Observation) -> Direction {
        switch self {
        case .above, .rises, .newHigh, .stale, .marketStale, .marketMissing, .feedStale: .up
        case .below, .falls, .newLow: .down
        case .outside, .moves: side(of: observation) ?? .up
        }
    }

    public enum Direction: String, Hashable, Sendable, CaseIterable { case up, down }

    /// The price at which the condition begins to hold, for this observation; nil where it is not about prices.
    ///
    /// - Parameter side: of a condition that has two, the one on which it held last, if it does not hold now.
    func threshold(for observation: Observation, onSide side: Direction?) -> Price? {
        switch (self, observation) {
        case (.above(let threshold), _), (.below(let threshold), _): return threshold
        case (.outside(let low, let high), .price):
            return (self.side(of: observation) ?? side) == .down ? low : high
        case (.rises(let percent, _), .price(_, let range?)): return range.lowest.moved(percent)
        case (.falls(let percent, _), .price(_, let range?)): return range.highest.moved(percent.negated)
        case (.moves(let percent, _), .price(let price, let range?)):
            let side = self.side(of: observation) ?? side ?? Self.largerMove(of: price, in: range)
            return side == .up ? range.lowest.moved(percent) : range.highest.moved(percent.negated)
        case (.newHigh, .price(_, let range?)): return range.highest
        case (.newLow, .price(_, let range?)): return range.lowest
        default: return nil
        }
    }

    /// By how much the price differs from the one it is compared with; nil for a level.
    ///
    /// - Parameter side: as for the threshold.
    func change(in observation: Observation, onSide side: Direction?) -> Percent? {
        guard case .price(let price, let range?) = observation else { return nil }
        switch self {
        case .rises, .newLow: return Percent(from: range.lowest, to: price)
        case .falls, .newHigh: return Percent(from: range.highest, to: price)
        case .moves:
            let side = self.side(of: observation) ?? side ?? Self.largerMove(of: price, in: range)
            return Percent(from: side == .up ? range.lowest : range.highest, to: price)
        default: return nil
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

    /// The price that lies so many percent away, or nil where that is no price.
    func moved(_ percent: Percent) -> Price? {
        Price(decimal * (10_000 + Decimal(percent.hundredths)) / 10_000)
    }

    /// The sign of `left` × `leftFactor` − `right` × `rightFactor`. The doubles decide unless they are too near each
    /// other to be trusted.
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
