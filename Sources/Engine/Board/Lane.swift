import Markets

/// Who is asked for a market. Markets of one lane are asked together, and as often.
public enum Lane: Hashable, Sendable {
    /// The feeds in order of preference: the next serves where one fails.
    case shared
    /// This feed alone.
    case own(String)
}

/// Markets that are asked of a feed of their own, and how often the feeds are asked.
public struct OwnLanes: Hashable, Sendable {
    /// Markets that are not here are in the shared lane.
    public var lanes: [MarketID: Lane]
    /// The time between two polls of a lane as configured; one that is not here is asked as often as the shared one.
    public var every: [Lane: Duration]

    public init(lanes: [MarketID: Lane] = [:], every: [Lane: Duration] = [:]) {
        self.lanes = lanes
        self.every = every
    }

    public subscript(market: MarketID) -> Lane { lanes[market] ?? .shared }
}
