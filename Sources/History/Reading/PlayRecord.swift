import Engine
import Foundation
import GRDB
import Markets

/// A recorded cycle of the daemon. Markets are indices into the list of the caller.
package struct RecordedCycle: Sendable {
    /// When its polls began; of backfilled prices, the time of the prices.
    package var at: Date
    /// The answers of the feeds, or the backfilled prices of this moment; empty where no feed could be asked, since a
    /// cooldown held.
    package var polls: [RecordedPoll] = []
    /// The markets that were added to the watchlist or removed from it since the cycle before.
    package var watchChanges: [(market: Int, isWatched: Bool)] = []
}

/// A recorded poll with everything stored about it.
package struct RecordedPoll: Sendable {
    /// When the answer was complete, or the poll was given up.
    package var fetchedAt: Date
    package var feed: String
    /// The source whose markets were requested.
    package var source: SourceID
    /// The interval in force when the poll was due; zero: as configured.
    package var interval: Duration
    package var outcome: PollOutcome
    /// The kind of the error; nil if there was none.
    package var error: String?
    /// True for prices that were backfilled later: the poll concerns the markets among its samples only.
    package var isBackfilled: Bool
    /// The new prices, trusted or not.
    package var samples: [Sample] = []
    /// Markets whose price was unknown, or not in the provider's latest answer. Markets neither here nor among the
    /// samples were known and unchanged.
    package var unknown: [(market: Int, reason: UnknownReason)] = []

    package struct Sample: Sendable {
        package var market: Int
        package var quotedAt: Date
        package var price: Price
        package var confirmed: Bool
    }

    /// The markets without a usable price.
    package var unusable: [Int] {
        unknown.filter { $0.reason != .oldQuote && $0.reason != .unconfirmed }.map(\.market)
    }
}

extension HistoryReader {
    /// The time of the first and of the last poll from `since` on; nil if there is none.
    package func span(since: Date, withBackfilled: Bool) throws(HistoryError) -> ClosedRange<Date>? {
        try read { db in
            let ends = "SELECT min(at), max(at) FROM poll WHERE at >= ? AND (? OR NOT backfilled)"
            let spans: [ClosedRange<Date>] = try db.all(ends, [since.milliseconds, withBackfilled]) { row in
                guard let begin: Date = try row.value(0, as: Date?.self) else { return nil }
                return begin...(try row.value(1))
            }
            return spans.first
        }
    }

    /// Passes the cycles between two moments to `body`, oldest first, one at a time: memory use does not grow with
    /// their number.
    ///
    /// - Parameters:
    ///   - markets: Samples and unknown prices of other markets are left out.
    ///   - withBackfilled: Whether backfilled prices get their own cycles.
    ///   - withSamples: False if the caller needs no prices.
    ///   - ofPresentAmounts: Whether the values of portfolios from before their amounts were edited are left out.
    package func play(
        _ markets: [MarketID], in currencies: MarketCurrencies, since: Date, until: Date = .distantFuture,
        withBackfilled: Bool,
        withSamples: Bool = true, ofPresentAmounts: Bool = false, _ body: (RecordedCycle) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            let series = try PlayedSeries(markets, in: currencies, ofPresentAmounts: ofPresentAmounts, db)
            var changes = try series.watchChanges(db)[...]
            var cycle: RecordedCycle?
            try db.rows(
                """
                SELECT poll.id, at, fetched_at, outcome, error, name, alone, interval, backfilled
                FROM poll LEFT JOIN feed ON feed.id = feed
                WHERE at >= ?1 AND at < ?2 AND (?3 OR NOT backfilled)
                UNION ALL
                SELECT id, at, at, NULL, NULL, NULL, 0, 0, 0 FROM turn
                WHERE at >= ?1 AND at < ?2 AND kind = 'waiting'
                ORDER BY 2, 1
                """, [since.milliseconds, until.milliseconds, withBackfilled]
            ) { row in
                let (id, at): (Int64, Date) = (try row.value(0), try row.value(1))
                let outcome: PollOutcome? = try row.value(3)
                let isBackfilled: Bool = try row.value(8)
                // Polls with the same start belong to the same cycle.
                var current = RecordedCycle(at: at)
                if let before = cycle {
                    if outcome != nil, before.at == at, before.polls.first?.isBackfilled == isBackfilled {
                        current = before
                    } else {
                        try body(before)
                    }
                }
                cycle = nil
                while !isBackfilled, let change = changes.first, change.from <= id {
                    current.watchChanges.append((change.market, change.isWatched))
                    changes.removeFirst()
                }
                if let outcome {
                    let feed = try row.value(5, as: String?.self) ?? ""
                    let fetchedAt = try row.time(2)
                    var poll = RecordedPoll(
                        fetchedAt: Date(milliseconds: fetchedAt), feed: feed,
                        source: try row.value(6) ? .own(feed) : .shared, interval: try row.value(7), outcome: outcome,
                        error: try row.value(4), isBackfilled: isBackfilled)
                    if withSamples { poll.samples = try series.samples(of: id, fetchedAt: fetchedAt, db) }
                    if !isBackfilled { poll.unknown = try series.unknown(of: id, db) }
                    if !isBackfilled || !poll.samples.isEmpty { current.polls.append(poll) }
                }
                cycle = current
            }
            if let cycle { try body(cycle) }
        }
    }
}

/// The series of the played markets.
private struct PlayedSeries {
    /// The market of a series, by its number; −1 for one that is not played.
    private var markets: [Int] = []
    private let samples: String
    /// Those whose earlier samples are left out.
    private let portfolios: [Int64: ComputedSeries]

    init(_ played: [MarketID], in currencies: MarketCurrencies, ofPresentAmounts: Bool, _ db: Database) throws {
        portfolios = ofPresentAmounts ? try ComputedSeries.all(db) : [:]
        let places = Dictionary(played.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let series = try Series.all(db, in: currencies, only: Set(played))
        markets = Array(repeating: -1, count: Int(series.last?.id ?? 0) + 1)
        for series in series { markets[Int(series.id)] = places[series.names.market] ?? -1 }
        // Few markets are looked up one by one in each poll; many are read by a scan of the poll.
        let ids = series.map { "(?1 << 20) + \($0.id)" }.joined(separator: ", ")
        let scan = "id BETWEEN ?1 << 20 AND (?1 << 20) + \(SampleKey.largestSeries)"
        samples = """
            SELECT id, significand, exponent, age, confirmed FROM sample
            WHERE \(series.count <= 32 ? "?1 AND id IN (\(ids))" : scan) ORDER BY id
            """
    }

    private func market(of series: Int64) -> Int? {
        guard markets.indices.contains(Int(series)), markets[Int(series)] >= 0 else { return nil }
        return markets[Int(series)]
    }

    /// - Parameter fetchedAt: of the poll, in milliseconds.
    func samples(of poll: Int64, fetchedAt: Int64, _ db: Database) throws -> [RecordedPoll.Sample] {
        try db.all(samples, [poll]) { row in
            let series = try row.seriesOfSample(0)
            guard let market = market(of: series), portfolios[series]?.counts(poll: poll) != false else { return nil }
            return RecordedPoll.Sample(
                market: market, quotedAt: try row.quotedAt(3, fetchedAt: fetchedAt), price: try row.price(1),
                confirmed: try row.value(4))
        }
    }

    func unknown(of poll: Int64, _ db: Database) throws -> [(market: Int, reason: UnknownReason)] {
        try db.all("SELECT series, reason FROM unknown WHERE poll = ?", [poll]) { row in
            guard let market = market(of: try row.value(0)) else { return nil }
            return (market, try row.value(1))
        }
    }

    /// The changes of the watchlist, with the poll or turn from which on they hold.
    func watchChanges(_ db: Database) throws -> [(from: Int64, market: Int, isWatched: Bool)] {
        try db.all("SELECT poll, series, watched FROM watch ORDER BY poll, series") { row in
            guard let market = market(of: try row.value(1)) else { return nil }
            return (try row.value(0), market, try row.value(2))
        }
    }
}
