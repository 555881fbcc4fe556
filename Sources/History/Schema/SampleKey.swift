import GRDB

/// The id of a sample: its poll and its series in one integer, in that order.
enum SampleKey {
    /// Series have the lower 20 bits.
    static let bits: Int64 = 20
    static let largestSeries: Int64 = 1 << bits - 1
    /// Far from where an integer ends.
    static let largestPoll: Int64 = 1 << (61 - bits) - 1

    static func id(poll: Int64, series: Int64) -> Int64 { poll << bits | series }

    static func series(_ id: Int64) -> Int64 { id & largestSeries }

    /// The ids of one poll's samples.
    static func ids(of poll: Int64) -> ClosedRange<Int64> {
        id(poll: poll, series: 0)...id(poll: poll, series: largestSeries)
    }
}
