import Markets

/// Whether the newest price of a market is trusted, or moved too far at once and waits for confirmation.
package enum MoveConfirmation: Hashable, Sendable {
    /// The newest price is trusted.
    case settled
    /// The candidate waits for the next poll. `polls` is the number of consecutive polls, its own included, with a
    /// price too far from the trusted one.
    indirect case waiting(candidate: MarketBoard.PriceSample, polls: Int)

    /// After this many consecutive polls that disagree with the trusted price, the newest price is trusted.
    static let patience = 3

    package var candidate: MarketBoard.PriceSample? {
        if case .waiting(let candidate, _) = self { candidate } else { nil }
    }

    /// Restores from the history, newest first, an unconfirmed price after the trusted one.
    package mutating func recall(_ earlier: MarketBoard.PriceSample) {
        switch self {
        case .settled: self = .waiting(candidate: earlier, polls: 1)
        case .waiting(let candidate, let polls): self = .waiting(candidate: candidate, polls: polls + 1)
        }
    }
}

extension Price {
    /// False if it is equally near to both.
    func isNearer(to one: Price, than other: Price) -> Bool {
        let (double, middle) = (decimal * 2, one.decimal + other.decimal)
        return one > other ? double > middle : double < middle
    }
}

/// How far a price may move from one poll to the next and be trusted at once.
package struct MoveLimit: Hashable, Sendable {
    /// A larger move waits for the next poll.
    package var percent: Percent
    /// A trusted price that no answer has held for this long is no longer compared with.
    package var memory: Duration

    package init(percent: Percent, memory: Duration) {
        self.percent = percent
        self.memory = memory
    }

    func remembers(_ trusted: MarketBoard.PriceSample, at later: MarketBoard.PriceSample) -> Bool {
        later.fetchedAt.since(trusted.fetchedAt) < memory
    }
}
