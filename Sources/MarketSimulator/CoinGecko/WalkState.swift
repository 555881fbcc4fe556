internal import Foundation
internal import Markets

/// Where the walk stands, and when it moves on.
struct WalkState {
    struct Position: Hashable {
        /// 0 for the first answer.
        var step: Int
        /// When prices came to be what they are.
        var since: Date
    }

    /// Nil: each request for a first page makes a step. Else prices stand still for so long.
    let stepsEvery: Duration?
    private var begun: Date?
    private var position: Position?

    init(stepsEvery: Duration?) { self.stepsEvery = stepsEvery }

    mutating func position(isFirstPage: Bool, now: Date) -> Position {
        var next = position ?? Position(step: 0, since: now)
        if let stepsEvery, stepsEvery > .zero {
            let begun = begun ?? now
            self.begun = begun
            let step = Int(now.since(begun).inMilliseconds / max(1, stepsEvery.inMilliseconds))
            // A clock that steps back takes no price back.
            if step > next.step { next = Position(step: step, since: begun + stepsEvery * step) }
            position = next
        } else if isFirstPage {
            if position != nil { next = Position(step: next.step + 1, since: now) }
            position = next
        }
        return next
    }
}
