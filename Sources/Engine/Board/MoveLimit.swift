import Markets

/// How far a price may move from one poll to the next and still be believed at once.
public struct MoveLimit: Hashable, Sendable {
    /// A move of more than this waits for the next poll.
    public var percent: Percent
    /// A trusted price that no answer has held for this long is nothing to measure a move by.
    public var memory: Duration

    public init(percent: Percent, memory: Duration) {
        self.percent = percent
        self.memory = memory
    }

    /// Whether `price` moved too far since the trusted one to be believed on its own.
    func doubts(_ price: MarketBoard.Sighting, since trusted: MarketBoard.Sighting) -> Bool {
        remembers(trusted, at: price) && price.price.hasMoved(moreThan: percent, from: trusted.price)
    }

    func remembers(_ trusted: MarketBoard.Sighting, at later: MarketBoard.Sighting) -> Bool {
        later.fetchedAt.since(trusted.fetchedAt) < memory
    }
}
