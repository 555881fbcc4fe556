import Foundation
import Markets

/// When nobody was there, and so nothing could grow stale.
enum Downtime {
    /// From the last turn of one daemon to the start of the next; nil where that is no longer than a step between two
    /// polls may be.
    static func between(_ lastTurn: Date?, _ start: Date, longerThan longestStep: Duration) -> Range<Date>? {
        lastTurn.flatMap { start.since($0) > longestStep ? $0..<start : nil }
    }
}
