import Foundation
import Markets

/// Up from down: how the watched markets moved over a window.
public struct DaySummary: Hashable, Sendable {
    public var up = 0
    public var down = 0
    public var flat = 0
    /// Markets without a change that can be stated.
    public var unknown = 0
    /// The largest rises and falls, up to five each, largest first, ties by id.
    public var gainers: [Move] = []
    public var losers: [Move] = []
    public var coverage = CoverageShare(tenths: 0)

    public struct Move: Hashable, Sendable {
        public var market: MarketID
        public var change: Percent

        public init(market: MarketID, change: Percent) {
            self.market = market
            self.change = change
        }
    }

    private static let listed = 5

    public init(changes: [(market: MarketID, change: Percent?)], coverage: CoverageShare) {
        self.coverage = coverage
        var moves: [Move] = []
        for (market, change) in changes {
            guard let change else {
                unknown += 1
                continue
            }
            if change > .zero { up += 1 } else if change < .zero { down += 1 } else { flat += 1 }
            moves.append(Move(market: market, change: change))
        }
        moves.sort { $0.change == $1.change ? $0.market < $1.market : $0.change > $1.change }
        gainers = Array(moves.prefix(Self.listed).prefix { $0.change > .zero })
        moves.sort { $0.change == $1.change ? $0.market < $1.market : $0.change < $1.change }
        losers = Array(moves.prefix(Self.listed).prefix { $0.change < .zero })
    }
}

/// How a market moved over 24 hours, and by whose figures.
public struct DayChange: Hashable, Sendable {
    public var percent: Percent
    public var basis: Basis

    public enum Basis: String, Hashable, Sendable {
        /// Against our own sample of a day ago.
        case recorded
        /// As the provider states it.
        case reported
    }

    /// The change of a market with this standing; nil unless it is fresh and there is something to compare with.
    public init?(of entry: MarketBoard.Entry, at now: Date, against old: Price?) {
        guard entry.state(at: now) == .fresh, let newest = entry.shown else { return nil }
        if let old {
            percent = Percent(from: old, to: newest.price)
            basis = .recorded
        } else if let reported = newest.reportedChange {
            percent = reported
            basis = .reported
        } else {
            return nil
        }
    }
}
