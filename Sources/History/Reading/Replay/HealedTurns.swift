import Engine
import Foundation
import GRDB
import Markets

/// Hands out healed prices between the turns of the daemon, in the order of the moments that they speak of.
struct HealedTurns {
    private let rows: RowCursor
    private let series: ReplaySeries
    private var next: (at: Int64, sample: RecordedPoll.Sample, feed: String)?

    init(_ replay: Replay, _ db: Database) throws {
        series = replay.series
        rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT at, sample.id, significand, exponent, name
                FROM poll CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
                LEFT JOIN feed ON feed.id = feed
                WHERE at >= ? AND backfilled ORDER BY at, poll.id
                """, arguments: [replay.since])
        try step()
    }

    /// The places of the markets of which prices were healed.
    static func markets(_ series: ReplaySeries, since: Int64, _ db: Database) throws -> Set<Int> {
        let ids: [Int64] = try db.values(
            "sample.id",
            """
            SELECT DISTINCT sample.id & \(SampleKey.largestSeries)
            FROM poll CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
            WHERE at >= ? AND backfilled
            """, [since])
        return Set(ids.compactMap(series.place))
    }

    mutating func play(before end: Date, _ body: (RecordedTurn) throws -> Void) throws {
        let end = end.milliseconds
        while let (at, first, feed) = next, at < end {
            var samples = [first]
            try step()
            while let (sameTime, sample, _) = next, sameTime == at {
                samples.append(sample)
                try step()
            }
            try body(RecordedTurn(kind: .healed(samples, feed: feed), number: 0))
        }
    }

    /// To the next price of a market that the replay is about.
    private mutating func step() throws {
        next = nil
        while let row = try rows.next() {
            guard let place = series.place(of: SampleKey.series(try row.value(1, "sample.id"))) else { continue }
            let at = try row.time(0, "poll.at")
            let sample = RecordedPoll.Sample(
                market: place, quotedAt: Date(milliseconds: at), price: try row.price(2, "sample.significand"))
            next = (at, sample, try row.value(4, "feed.name", as: String?.self) ?? "")
            return
        }
    }
}
