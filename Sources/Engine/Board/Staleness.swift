import Markets

/// From when on a market's quote is old.
public struct Staleness: Hashable, Sendable {
    /// As long as the configured interval is in force.
    public var after: Duration
    /// Nobody said when: three intervals of those in force are not too old.
    public var followsInterval: Bool

    public init(after: Duration, followsInterval: Bool = false) {
        self.after = after
        self.followsInterval = followsInterval
    }

    /// - Parameter interval: The time between two polls that is in force; zero: as configured.
    public func age(at interval: Duration) -> Duration { followsInterval ? max(after, interval * 3) : after }
}
