import Foundation
import Markets

/// The parts of a period without data, oldest first, not overlapping.
package struct Holes: Hashable, Sendable {
    package private(set) var stretches: [Range<Date>]

    /// - Parameter stretches: in any order.
    package init(_ stretches: [Range<Date>] = []) {
        self.stretches = stretches.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The stretches of `period` between known moments that are further apart than the step allowed.
    ///
    /// - Parameters:
    ///   - known: the moments at which something was known, oldest first, each with the longest step allowed before it.
    ///   - longestStep: the longest step allowed if there is no such moment.
    package init(
        in period: Range<Date>, between known: some Sequence<(Date, Duration)>, longerThan longestStep: Duration
    ) {
        stretches = []
        var last = period.lowerBound
        var longest = longestStep
        for (moment, step) in known where period.contains(moment) {
            if moment.since(last) > step { stretches.append(last..<moment) }
            last = max(last, moment)
            longest = step
        }
        if period.upperBound.since(last) > longest { stretches.append(last..<period.upperBound) }
    }

    /// Removes the ranges that were already requested.
    package mutating func remove(_ asked: some Sequence<Range<Date>>) {
        for asked in asked {
            stretches = stretches.flatMap { hole -> [Range<Date>] in
                guard hole.overlaps(asked) else { return [hole] }
                return [(hole.lowerBound, asked.lowerBound), (asked.upperBound, hole.upperBound)]
                    .filter { $0 < $1 }.map { $0..<$1 }
            }
        }
    }

    /// Removes holes no longer than `length`.
    package mutating func forget(upTo length: Duration) {
        stretches.removeAll { $0.upperBound.since($0.lowerBound) <= length }
    }

    /// The parts of the holes within `stretch`.
    package func within(_ stretch: Range<Date>) -> Holes {
        Holes(stretches.map { $0.clamped(to: stretch) }.filter { !$0.isEmpty })
    }

    /// From the start of the first hole to the end of the last; nil if there are none.
    package var extent: Range<Date>? {
        guard let first = stretches.first, let last = stretches.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    package func contains(_ moment: Date) -> Bool { stretches.contains { $0.contains(moment) } }

    package var isEmpty: Bool { stretches.isEmpty }
}
