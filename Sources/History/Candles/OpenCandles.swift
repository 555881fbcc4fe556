import Engine
import Foundation
import GRDB
import Markets

/// The candles of the open hours, in memory. An hour's candles are written once, when it closes; later samples are
/// added to the written candle.
struct OpenCandles {
    /// How long an hour stays open after its end, for late quotes.
    static let patience = Duration.minutes(5)
    /// Upper limit of the distance between a quote and its poll, in milliseconds; samples farther apart are not found
    /// when an hour is recounted.
    static let slack = Hour.milliseconds + Duration.minutes(5).inMilliseconds

    /// The first open hour.
    private(set) var until: Int64
    private var candles: [Int64: [Int64: Candle]] = [:]

    /// Recounts the open hours from their samples.
    init(_ db: Database) throws {
        until = try Self.until(db)
        try SampleScan.all(db, polledSince: until * Hour.milliseconds - Self.slack) { series, quotedAt, price in
            let hour = Hour.of(quotedAt)
            if hour >= until { candles[hour, default: [:]].add(price, hour, series) }
        }
        try db.rows("SELECT hour, series, volume_24h, market_cap FROM stated") { row in
            let (volume24h, marketCap): (Double?, Double?) = (try row.value(2), try row.value(3))
            candles[try row.hour(0)]?[try row.value(1)]?.state(volume24h: volume24h, marketCap: marketCap)
        }
    }

    static func until(_ db: Database) throws -> Int64 {
        try db.all("SELECT value FROM setting WHERE name = 'candles_until'") {
            try $0.digits(0, in: Hour.all)
        }.first ?? 0
    }

    /// Adds the newest sample of a series.
    mutating func add(_ sample: Sample, quotedAt: Int64, _ series: Int64, _ db: Database) throws {
        let hour = Hour.of(quotedAt)
        if hour >= until {
            candles[hour, default: [:]].add(
                sample.price, hour, series, volume24h: sample.volume24h, marketCap: sample.marketCap)
            return
        }
        var late = [Int64: Candle]()
        late[series] = try CandleRows.read(hour, series, db)
        late.add(sample.price, hour, series, volume24h: sample.volume24h, marketCap: sample.marketCap)
        if let candle = late[series] { try CandleRows.write(candle, hour, series, db) }
    }

    /// Recounts candles of a series after older samples were added to their hours.
    ///
    /// - Parameter hours: the hours with the newest backfilled price of each, which supplies volume and market cap.
    mutating func recount(_ series: Int64, _ hours: [Int64: PastQuote], _ db: Database) throws {
        guard let first = hours.keys.min(), let last = hours.keys.max() else { return }
        var counted: [Int64: [Int64: Candle]] = [:]
        try SampleScan.one(series, db, hours: first...last) { hour, price in
            if hours[hour] != nil { counted[hour, default: [:]].add(price, hour, series) }
        }
        for (hour, candles) in counted {
            guard var candle = candles[series] else { continue }
            candle.state(volume24h: hours[hour]?.volume24h, marketCap: hours[hour]?.marketCap)
            let known = hour >= until ? self.candles[hour]?[series] : try CandleRows.read(hour, series, db)
            if let known {
                // The samples of this hour were pruned; the written candle is more complete.
                if known.samples > candle.samples { continue }
                candle.state(volume24h: known.volume24h, marketCap: known.marketCap)
            }
            if hour >= until {
                self.candles[hour, default: [:]][series] = candle
            } else {
                try CandleRows.write(candle, hour, series, db)
            }
        }
    }

    /// Writes volume and market cap of the open hours, which samples do not hold. A killed process loses those of the
    /// markets that are not quoted again within the hour.
    func keepFigures(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM stated")
        for (hour, candles) in candles {
            for (series, candle) in candles where candle.volume24h != nil || candle.marketCap != nil {
                try db.run(
                    "INSERT INTO stated (hour, series, volume_24h, market_cap) VALUES (?, ?, ?, ?)",
                    [hour, series, candle.volume24h, candle.marketCap])
            }
        }
    }

    /// Writes the candles of the hours that ended.
    mutating func close(before now: Date, _ db: Database) throws {
        let current = Hour.of((now - Self.patience).milliseconds)
        guard current > until else { return }
        for hour in candles.keys.sorted() where hour < current {
            for (series, candle) in (candles[hour] ?? [:]).sorted(by: { $0.key < $1.key }) {
                try CandleRows.write(candle, hour, series, db)
            }
            candles[hour] = nil
        }
        try db.execute(
            sql: "INSERT OR REPLACE INTO setting (name, value) VALUES ('candles_until', ?)",
            arguments: [String(current)])
        until = current
    }
}

extension [Int64: Candle] {
    fileprivate mutating func add(
        _ price: Price, _ hour: Int64, _ series: Int64, volume24h: Double? = nil, marketCap: Double? = nil
    ) {
        if self[series]?.add(price, volume24h: volume24h, marketCap: marketCap) == nil {
            var candle = Candle(start: Hour.start(hour), first: price)
            candle.state(volume24h: volume24h, marketCap: marketCap)
            self[series] = candle
        }
    }
}
