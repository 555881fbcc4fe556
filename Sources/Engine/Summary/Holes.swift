import Foundation
import Markets

/// The stretches of a period of which nothing is known, oldest first, none touching another.
public struct Holes: Hashable, Sendable {
    public private(set) var stretches: [Range<Date>]

    /// - Parameter stretches: in any order.
    public init(_ stretches: [Range<Date>] = []) {
        self.stretches = stretches.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The stretches of `period` between moments that are further apart than `longestStep`.
    ///
    /// - Parameter known: the moments at which something was known, oldest first.
    public init(in period: Range<Date>, between known: some Sequence<Date>, longerThan longestStep: Duration) {
        self.init(in: period, between: known.lazy.map { ($0, longestStep) }, longerThan: longestStep)
    }

    /// - Parameters:
    ///   - known: the moments at which something was known, oldest first, and how far from the one before each may be.
    ///   - longestStep: how long the period may be where there is none.
    public init(
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

    /// Without what has been asked for already.
    public mutating func remove(_ asked: some Sequence<Range<Date>>) {
        for asked in asked {
            stretches = stretches.flatMap { hole -> [Range<Date>] in
                guard hole.overlaps(asked) else { return [hole] }
                return [(hole.lowerBound, asked.lowerBound), (asked.upperBound, hole.upperBound)]
                    .filter { $0 < $1 }.map { $0..<$1 }
            }
        }
    }

    /// Without what is no longer than `length`.
    public mutating func forget(upTo length: Duration) {
        stretches.removeAll { $0.upperBound.since($0.lowerBound) <= length }
    }

    /// What of them lies in a stretch.
    public func within(_ stretch: Range<Date>) -> Holes {
        Holes(stretches.map { $0.clamped(to: stretch) }.filter { !$0.isEmpty })
    }

    /// From the beginning of the first to the end of the last; nil where there is none.
    public var extent: Range<Date>? {
        guard let first = stretches.first, let last = stretches.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    public func contains(_ moment: Date) -> Bool { stretches.contains { $0.contains(moment) } }

    public var isEmpty: Bool { stretches.isEmpty }
}
