import Foundation

extension AlertRule.Condition {
    /// Whether the observation meets the condition, exactly; nil where it says nothing about it.
    public func isMet(by observation: Observation) -> Bool? {
        switch (self, observation) {
        case (.above(let threshold), .price(let price, _)): price > threshold
        case (.below(let threshold), .price(let price, _)): price < threshold
        case (.outside(let low, let high), .price(let price, _)): price < low || price > high
        case (.rises(let percent, _), .price(let price, let range)):
            range.map { price.hasRisen(percent, from: $0.lowest) } ?? false
        case (.falls(let percent, _), .price(let price, let range)):
            range.map { price.hasFallen(percent, from: $0.highest) } ?? false
        case (.moves(let percent, _), .price(let price, let range)):
            range.map { price.hasRisen(percent, from: $0.lowest) || price.hasFallen(percent, from: $0.highest) }
                ?? false
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

    /// On which side of a corridor an observation lies that meets the condition; nil where there is no corridor.
    func side(of observation: Observation) -> Direction? {
        guard case .outside = self, case .price(let price, let range) = observation else { return nil }
        return direction(of: price, among: range)
    }

    /// Which way is further, seen from a price that meets the condition.
    func direction(of price: Price, among range: PriceRange?) -> Direction {
        switch self {
        case .above, .rises, .newHigh: return .up
        case .below, .falls, .newLow: return .down
        case .outside(let low, _): return price < low ? .down : .up
        case .moves(let percent, _):
            guard let range else { return .up }
            return price.hasFallen(percent, from: range.highest) ? .down : .up
        case .stale, .marketStale, .marketMissing, .feedStale: return .up
        }
    }

    public enum Direction: String, Hashable, Sendable, CaseIterable { case up, down }

    /// The price at which the condition begins to hold, for this observation; nil where it is not about prices.
    public func threshold(for observation: Observation) -> Price? {
        guard case .price(let price, let range) = observation else {
            switch self {
            case .above(let threshold), .below(let threshold): return threshold
            default: return nil
            }
        }
        switch self {
        case .above(let threshold), .below(let threshold): return threshold
        case .outside(let low, let high): return price < low ? low : high
        case .rises(let percent, _): return range.flatMap { $0.lowest.moved(percent) }
        case .falls(let percent, _): return range.flatMap { $0.highest.moved(percent.negated) }
        case .moves(let percent, _):
            guard let range else { return nil }
            return direction(of: price, among: range) == .up
                ? range.lowest.moved(percent) : range.highest.moved(percent.negated)
        case .newHigh: return range?.highest
        case .newLow: return range?.lowest
        case .stale, .marketStale, .marketMissing, .feedStale: return nil
        }
    }

    /// By how much the price differs from the one it is compared with; nil for a level.
    public func change(in observation: Observation) -> Percent? {
        guard case .price(let price, let range?) = observation else { return nil }
        switch self {
        case .rises: return Percent(from: range.lowest, to: price)
        case .falls: return Percent(from: range.highest, to: price)
        case .moves:
            let (rise, fall) = (Percent(from: range.lowest, to: price), Percent(from: range.highest, to: price))
            return rise.hundredths >= -fall.hundredths ? rise : fall
        case .newHigh: return Percent(from: range.highest, to: price)
        case .newLow: return Percent(from: range.lowest, to: price)
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
