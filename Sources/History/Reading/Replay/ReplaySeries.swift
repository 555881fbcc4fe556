import GRDB
import Markets

/// The series of one currency, by their places in a replay.
struct ReplaySeries: Sendable {
    private(set) var names: [HistoryReader.Name] = []
    private var ids: [Int64] = []
    /// By id; −1 where the series is of another currency.
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

    /// The samples of poll ?1 as a condition: few series are sought one by one, many are read with all that stand beside
    /// them.
    var samplesOfPoll: String {
        guard ids.count <= 32 else { return "id BETWEEN ?1 << 20 AND (?1 << 20) + \(SampleKey.largestSeries)" }
        return "?1 AND id IN (\(ids.map { "(?1 << 20) + \($0)" }.joined(separator: ", ")))"
    }

    func place(of id: Int64) -> Int? {
        guard places.indices.contains(Int(id)), places[Int(id)] >= 0 else { return nil }
        return Int(places[Int(id)])
    }

    /// The places of those that were watched when this poll or turn came.
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

/// How the watchlist changed in the course of a replay.
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

    /// The watchlist at this poll or turn; nil where it has not changed since the last question.
    mutating func upTo(_ id: Int64) -> [Int]? {
        guard let next = coming.first, next.from <= id else { return nil }
        while let change = coming.first, change.from <= id {
            if change.isWatched { watched.insert(change.place) } else { watched.remove(change.place) }
            coming.removeFirst()
        }
        return watched.sorted()
    }
}
