import Foundation
import Markets

extension AlertBook {
    /// Puts prices that were healed to the rules about prices, as a poll would have that nobody made: it asked for
    /// these markets alone. Of rules about the data, polls alone decide.
    ///
    /// - Parameters:
    ///   - healed: The markets whose newest price on the board was healed.
    ///   - now: The moment that these prices speak of.
    public mutating func evaluate(healed: [MarketID], on board: MarketBoard, at now: Date) -> Changes {
        // Healed prices speak for what lies between them as they do in windows; three intervals are no gap.
        let lane = LaneMoment(interval: .milliseconds(WatchGaps.healedStep / 3))
        let lanes = healed.compactMap { board[$0].map { ($0.lane, lane) } }
        let moment = Moment(now: now, lanes: Dictionary(lanes, uniquingKeysWith: { first, _ in first }))
        var changes = Changes()
        follow(board, at: moment, into: &changes)
        sight.look(atHealed: healed, on: board, markets)
        for index in standings.indices where !rules[index].condition.isAboutData {
            judge(index, board, at: moment, into: &changes)
        }
        return changes
    }
}
