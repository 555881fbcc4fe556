import Engine
import Foundation
import Markets

extension StatusReport {
    /// Lists the board's markets, as many as the file takes.
    ///
    /// - Parameter changes: those of the board's entries, in their order.
    mutating func list(_ board: MarketBoard, _ changes: [DayChange?], currency: Currency, at now: Date) {
        let count = min(board.entries.count, Self.marketsListed)
        marketsOmitted = board.entries.count - count
        for entry in board.entries { marketsByState[entry.state(at: now), default: 0] += 1 }
        markets = zip(board.entries, changes).prefix(count).map { entry, change in
            Market(
                market: entry.market, symbol: entry.symbol, name: entry.name, currency: currency,
                sighting: entry.shown, state: entry.state(at: now), reason: entry.reason, change: change)
        }
    }
}
