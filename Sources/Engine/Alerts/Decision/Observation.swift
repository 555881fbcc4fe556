import Markets

/// What a rule gets to see of its market in one turn.
public enum Observation: Hashable, Sendable {
    /// There is nothing to rely on.
    case unknown(Cause)
    /// The poll answered the market: its newest price, and the bounds of the window where the rule has one.
    case price(Price, among: PriceRange?)
    /// For conditions on staleness: how long there was nothing new.
    case silence(Duration)
    /// For conditions on missing prices: how many answers in a row lacked one.
    case misses(Int)

    public enum Cause: Hashable, Sendable {
        /// The poll failed, or brought no fresh price of this market.
        case noPrice
        /// The rule's window was watched for less than 80 %.
        case notCovered
    }
}

/// The lowest and the highest of the other prices of a window.
public struct PriceRange: Hashable, Sendable {
    public var lowest: Price
    public var highest: Price

    public init(lowest: Price, highest: Price) {
        self.lowest = lowest
        self.highest = highest
    }
}
