import Foundation
import Markets

/// Hours are counted from 1970, UTC.
enum Hour {
    static let milliseconds: Int64 = 3_600_000
    static let day = 24 * milliseconds
    /// Those of the years that have four digits.
    static let all: ClosedRange<Int64> = -17_259_936...70_389_527

    /// The hour of a moment in milliseconds.
    static func of(_ moment: Int64) -> Int64 {
        moment >= 0 ? moment / milliseconds : (moment - milliseconds + 1) / milliseconds
    }

    static func start(_ hour: Int64) -> Date { Date(milliseconds: hour * milliseconds) }
}
