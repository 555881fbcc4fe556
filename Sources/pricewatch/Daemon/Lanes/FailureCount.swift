import Foundation
import Markets

/// Failed polls in a row, and which of them the log tells of: the 1st, 2nd, 4th, 8th … and one a day.
struct FailureCount {
    private(set) var count = 0
    private var toldAt: Date?

    /// True where this failure is to be told.
    mutating func add(at now: Date) -> Bool {
        count += 1
        let isPowerOfTwo = count & (count - 1) == 0
        guard isPowerOfTwo || toldAt.map({ now.since($0) >= .hours(24) }) ?? true else { return false }
        toldAt = now
        return true
    }

    /// Ends the row; returns how many there were.
    mutating func reset() -> Int {
        defer { self = FailureCount() }
        return count
    }
}
