import Foundation
import Markets

/// A calendar month in UTC, the period of quotas.
public struct UTCMonth: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let year: Int
    /// 1 to 12.
    public let month: Int

    public init(year: Int, month: Int) {
        self.year = year
        self.month = month
    }

    public init(_ date: Date) {
        let parts = date.utcText.split(separator: "-")
        self.init(
            year: parts.first.flatMap { Int($0) } ?? 1970, month: parts.dropFirst().first.flatMap { Int($0) } ?? 1)
    }

    /// `2026-11`
    public var description: String {
        let year = String(year)
        return String(repeating: "0", count: max(0, 4 - year.count)) + year + (month < 10 ? "-0" : "-") + "\(month)"
    }

    public var next: UTCMonth {
        month == 12 ? UTCMonth(year: year + 1, month: 1) : UTCMonth(year: year, month: month + 1)
    }

    /// Its first moment.
    public var start: Date { Date(utcText: "\(self)-01T00:00:00Z") ?? .distantPast }
    /// The first moment of the next one.
    public var end: Date { next.start }

    public static func < (left: UTCMonth, right: UTCMonth) -> Bool {
        (left.year, left.month) < (right.year, right.month)
    }
}
