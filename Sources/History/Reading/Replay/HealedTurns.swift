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
        let ids = try Int64.fetchAll(
            db,
            sql: """
                SELECT DISTINCT sample.id & \(SampleKey.largestSeries)
                FROM poll CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
                WHERE at >= ? AND backfilled
                """, arguments: [since])
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
            guard let place = series.place(of: SampleKey.series(row[1])),
                let price = Price(significand: row[2], exponent: row[3])
            else { continue }
            let quotedAt = Date(milliseconds: row[0])
            next = (row[0], .init(market: place, quotedAt: quotedAt, price: price), row[4] ?? "")
            return
        }
    }
}
