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

extension MoveConfirmation {
    /// The result of a new price.
    struct Verdict: Hashable {
        var trusted: MarketBoard.PriceSample
        var state: MoveConfirmation
        /// What was decided on the waiting candidate; nil: nothing.
        var fate: Fate?
    }

    enum Fate: Hashable {
        /// The later price is nearer to it than to the trusted one.
        case confirmed(MarketBoard.PriceSample)
        case rejected(MarketBoard.PriceSample)
    }

    /// Applies a new price: decides on the candidate, then on the price itself.
    func hearing(
        _ price: MarketBoard.PriceSample, trusted: MarketBoard.PriceSample?, limit: MoveLimit?
    ) -> Verdict {
        guard var trusted else { return Verdict(trusted: price, state: .settled) }
        var fate: Fate?
        var disagreeing = 1
        if case .waiting(let candidate, let polls) = self {
            disagreeing += polls
            if price.price.isNearer(to: candidate.price, than: trusted.price) {
                fate = .confirmed(candidate)
                trusted = candidate
            } else {
                fate = .rejected(candidate)
            }
        }
        guard let limit, limit.doubts(price, since: trusted), disagreeing < Self.patience else {
            return Verdict(trusted: price, state: .settled, fate: fate)
        }
        return Verdict(trusted: trusted, state: .waiting(candidate: price, polls: disagreeing), fate: fate)
    }

    /// Applies a repeated quote, which confirms nothing. But if the trusted price has not been repeated for so long
    /// that a new price would be trusted at once, the repeated quote is trusted.
    func hearingAgain(_ repeated: MarketBoard.PriceSample, trusted: MarketBoard.PriceSample, limit: MoveLimit?)
        -> Verdict
    {
        guard case .waiting(let candidate, _) = self else { return Verdict(trusted: repeated, state: .settled) }
        if let limit, limit.remembers(trusted, at: repeated) { return Verdict(trusted: trusted, state: self) }
        return Verdict(trusted: repeated, state: .settled, fate: .confirmed(candidate))
    }
}

extension Price {
    /// False if it is equally near to both.
    fileprivate func isNearer(to one: Price, than other: Price) -> Bool {
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

    /// Whether `price` moved too far from the trusted one to be trusted without confirmation.
    func doubts(_ price: MarketBoard.PriceSample, since trusted: MarketBoard.PriceSample) -> Bool {
        remembers(trusted, at: price) && price.price.hasMoved(moreThan: percent, from: trusted.price)
    }

    func remembers(_ trusted: MarketBoard.PriceSample, at later: MarketBoard.PriceSample) -> Bool {
        later.fetchedAt.since(trusted.fetchedAt) < memory
    }
}
