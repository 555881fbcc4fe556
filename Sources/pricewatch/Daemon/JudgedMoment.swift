import Engine
import Foundation
import History
import Markets

extension AlertBook.Moment {
    /// What the rules are to know of a turn, lane by lane; the same live and in a rehearsal.
    ///
    /// - Parameters:
    ///   - interval: The time between two polls of a lane that is in force.
    ///   - answered: The lanes of which an answer came. Of the others, the age of the data alone is judged.
    ///   - gaps: The last poll before the gap that this turn ends, by lane.
    ///   - healed: What is healed of a gap that began then.
    ///   - silentSince: The last usable answer of a lane; where there never was one, when it was first asked.
    init(
        _ settings: CycleSettings, at now: Date, answered: Set<Lane>, gaps: [Lane: Date], downtime: Range<Date>?,
        interval: (Lane) -> Duration, healed: (Date) -> [MarketID: [PastQuote]], silentSince: (Lane) -> Date?
    ) {
        var lanes: [Lane: AlertBook.LaneMoment] = [:]
        for plan in settings.lanes where lanes[plan.lane] == nil {
            let gap = gaps[plan.lane]
            lanes[plan.lane] = AlertBook.LaneMoment(
                interval: interval(plan.lane), watchedUntil: gap, answered: answered.contains(plan.lane),
                lastUsableAnswer: silentSince(plan.lane), healed: gap.map(healed) ?? [:])
        }
        self.init(now: now, lanes: lanes, downtime: downtime)
    }
}
