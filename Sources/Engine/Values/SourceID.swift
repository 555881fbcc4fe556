import Markets

/// The source of a market's price. Markets of one source are polled together, at one interval.
package enum SourceID: Hashable, Sendable {
    /// The feeds in order of preference: if one fails, the next serves.
    case shared
    /// This feed alone.
    case own(String)
}

/// Markets with a feed of their own, and the poll interval of each source.
package struct OwnSources: Hashable, Sendable {
    /// Markets that are not here are in the shared source.
    package var sources: [MarketID: SourceID]
    /// The configured poll interval; a source that is not here uses that of the shared source.
    package var every: [SourceID: Duration]

    package init(sources: [MarketID: SourceID] = [:], every: [SourceID: Duration] = [:]) {
        self.sources = sources
        self.every = every
    }

    package subscript(market: MarketID) -> SourceID { sources[market] ?? .shared }
}
