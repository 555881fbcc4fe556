import Engine
import Foundation
import GRDB
import Markets

/// The series of one currency, with their indices in a replay.
struct ReplaySeries: Sendable {
    private(set) var names: [HistoryReader.Name] = []
    private var ids: [Int64] = []
    /// By series id; −1 for a series of another currency.
    private var places: [Int32] = []

    init(_ db: Database, in currency: Currency, only wanted: Set<MarketID>?) throws {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, market, symbol, name FROM series WHERE currency = ? ORDER BY id",
            arguments: [currency.code])
        while let row = try rows.next() {
            guard let market = try row.value(1, "series.market", as: ListedMarket.self).id,
                wanted?.contains(market) != false
            else { continue }
            let id = try row.series()
            places.append(contentsOf: repeatElement(-1, count: max(0, Int(id) + 1 - places.count)))
            places[Int(id)] = Int32(names.count)
            ids.append(id)
            names.append(
                .init(market: market, symbol: try row.value(2, "series.symbol"), name: try row.value(3, "series.name")))
        }
    }

    /// The samples of poll ?1 as an SQL condition: few series are looked up one by one, many are read by a scan of the
    /// poll.
    var samplesOfPoll: String {
        guard ids.count <= 32 else { return "id BETWEEN ?1 << 20 AND (?1 << 20) + \(SampleKey.largestSeries)" }
        return "?1 AND id IN (\(ids.map { "(?1 << 20) + \($0)" }.joined(separator: ", ")))"
    }

    func place(of id: Int64) -> Int? {
        guard places.indices.contains(Int(id)), places[Int(id)] >= 0 else { return nil }
        return Int(places[Int(id)])
    }

    /// The indices of the markets watched when this poll or turn was recorded.
    func watched(before id: Int64, _ db: Database) throws -> [Int] {
        try db.values(
            "watch.series",
            """
            SELECT series FROM (SELECT series, watched, max(poll) FROM watch WHERE poll < ? GROUP BY series)
            WHERE watched ORDER BY series
            """, [id]
        ).compactMap(place)
    }
}

/// The changes of the watchlist during a replay.
struct WatchChanges {
    private var coming: ArraySlice<(from: Int64, place: Int, isWatched: Bool)>
    private var watched: Set<Int>

    init(_ replay: Replay, _ db: Database) throws {
        watched = Set(replay.watched)
        coming = try Row.fetchAll(
            db, sql: "SELECT poll, series, watched FROM watch WHERE poll >= ? ORDER BY poll, series",
            arguments: [replay.from]
        ).compactMap { row in
            guard let place = replay.series.place(of: try row.value(1, "watch.series")) else { return nil }
            return (try row.value(0, "watch.poll"), place, try row.value(2, "watch.watched"))
        }[...]
    }

    /// The watchlist at this poll or turn; nil if it has not changed since the last call.
    mutating func upTo(_ id: Int64) -> [Int]? {
        guard let next = coming.first, next.from <= id else { return nil }
        while let change = coming.first, change.from <= id {
            if change.isWatched { watched.insert(change.place) } else { watched.remove(change.place) }
            coming.removeFirst()
        }
        return watched.sorted()
    }
}

/// The newest trusted price of each series before a poll: from the polls shortly before it, else from the last hour
/// that has a candle.
enum NewestBefore {
    private static let lastPolls = 64

    /// - Parameter at: when the poll began, in milliseconds.
    static func of(
        _ series: ReplaySeries, poll: Int64, at: Int64, _ db: Database
    ) throws -> [Int: MarketBoard.PriceSample] {
        var newest: [Int: MarketBoard.PriceSample] = [:]
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT sample.id & \(SampleKey.largestSeries), significand, exponent, age, fetched_at, feed.name
                FROM (SELECT * FROM poll WHERE id < ? AND NOT backfilled AND samples > 0 ORDER BY id DESC LIMIT ?)
                    AS poll
                CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + \(SampleKey.largestSeries)
                LEFT JOIN feed ON feed.id = poll.feed
                WHERE confirmed
                ORDER BY poll.id DESC
                """, arguments: [poll, lastPolls])
        while let row = try rows.next() {
            guard let place = series.place(of: try row.value(0, "sample.id")), newest[place] == nil else { continue }
            newest[place] = try NewestSamples.priceSample(row, at: 1)
        }
        if newest.count < series.names.count { try addFromCandles(before: at, series, &newest, db) }
        return newest
    }

    private static func addFromCandles(
        before at: Int64, _ series: ReplaySeries, _ newest: inout [Int: MarketBoard.PriceSample], _ db: Database
    ) throws {
        let now = Hour.of(at)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT series, max(hour) FROM candle WHERE hour < ? GROUP BY series", arguments: [now])
        while let row = try rows.next() {
            let id: Int64 = try row.value(0, "candle.series")
            guard let place = series.place(of: id), newest[place] == nil else { continue }
            let newestCandle = try row.hour(1, "candle.hour")
            newest[place] = try inHour(now, of: id, before: at, db) ?? inHour(newestCandle, of: id, before: at, db)
        }
    }

    private static func inHour(_ hour: Int64, of id: Int64, before at: Int64, _ db: Database) throws
        -> MarketBoard.PriceSample?
    {
        let find = try db.cachedStatement(
            sql: """
                SELECT sample.id, significand, exponent, age, fetched_at, feed.name
                FROM poll CROSS JOIN sample ON sample.id = (poll.id << 20) + ?
                LEFT JOIN feed ON feed.id = poll.feed
                WHERE poll.at >= ? AND poll.at < ? AND confirmed
                ORDER BY poll.at DESC, poll.id DESC LIMIT 1
                """)
        let start = hour * Hour.milliseconds
        let end = min(at, start + 26 * Hour.milliseconds)
        return try Row.fetchOne(find, arguments: [id, start - OpenCandles.slack, end]).map {
            try NewestSamples.priceSample($0, at: 1)
        }
    }
}
