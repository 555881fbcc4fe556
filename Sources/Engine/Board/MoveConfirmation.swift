import Markets

/// Whether the newest price of a market is the trusted one, or one that moved too far at once and waits for a second
/// opinion.
public enum MoveConfirmation: Hashable, Sendable {
    /// The newest price is trusted.
    case settled
    /// The candidate waits for the next poll; so many in a row, its own included, brought a price too far from the
    /// trusted one.
    indirect case waiting(candidate: MarketBoard.Sighting, polls: Int)

    /// So many polls that disagree are believed: the provider means it.
    static let patience = 3

    public var candidate: MarketBoard.Sighting? {
        if case .waiting(let candidate, _) = self { candidate } else { nil }
    }

    /// Takes in, newest first, what was recorded and not trusted after the trusted price.
    public mutating func recall(_ earlier: MarketBoard.Sighting) {
        switch self {
        case .settled: self = .waiting(candidate: earlier, polls: 1)
        case .waiting(let candidate, let polls): self = .waiting(candidate: candidate, polls: polls + 1)
        }
    }
}

extension MoveConfirmation {
    /// What a new price makes of the market.
    struct Verdict: Hashable {
        var trusted: MarketBoard.Sighting
        var state: MoveConfirmation
        /// What became of the candidate that waited.
        var fate: Fate?
    }

    enum Fate: Hashable {
        /// The later price lies nearer to it than to the one that was trusted.
        case confirmed(MarketBoard.Sighting)
        case rejected(MarketBoard.Sighting)
    }

    /// A new price: decides on the candidate, then is itself believed or not.
    func hearing(
        _ price: MarketBoard.Sighting, trusted: MarketBoard.Sighting?, limit: MoveLimit?
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

    /// The provider repeats its newest quote, which is no second opinion. But when nothing has borne out the trusted
    /// price for so long that a new one would be believed, the repeated one is.
    func hearingAgain(_ repeated: MarketBoard.Sighting, trusted: MarketBoard.Sighting, limit: MoveLimit?) -> Verdict {
        guard case .waiting(let candidate, _) = self else { return Verdict(trusted: repeated, state: .settled) }
        if let limit, limit.remembers(trusted, at: repeated) { return Verdict(trusted: trusted, state: self) }
        return Verdict(trusted: repeated, state: .settled, fate: .confirmed(candidate))
    }
}

extension Price {
    /// As near to both is not nearer.
    fileprivate func isNearer(to one: Price, than other: Price) -> Bool {
        let (double, middle) = (decimal * 2, one.decimal + other.decimal)
        return one > other ? double > middle : double < middle
    }
}
