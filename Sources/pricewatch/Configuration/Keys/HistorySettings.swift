import Markets

extension Configuration {
    struct History: Hashable, Sendable {
        /// `database`: absolute. Default: `history.db` in the state folder.
        var database: String
        /// `keep_samples`: how long every recorded price is kept.
        var keepSamples: Keeping = .lasting(.hours(90 * 24))
        /// `keep_candles`: how long hourly open, high, low and close, and alert events, are kept.
        var keepCandles: Keeping = .forever
        /// `max_size`: bytes of database and WAL; the oldest samples are removed first.
        var maxSize: Int64 = 2 << 30
        /// `backfill`: how far back gaps are backfilled; nil: never.
        var backfill: Duration? = .hours(24)
    }

    enum Keeping: Hashable, Sendable {
        case lasting(Duration)
        case forever

        /// Whether data of this age is still kept.
        func reaches(_ window: Duration) -> Bool {
            switch self {
            case .lasting(let duration): window <= duration
            case .forever: true
            }
        }
    }
}

extension Configuration.History {
    init(_ section: Section, defaults: Self) {
        self = defaults
        database = section.value("database", .path) ?? database
        keepSamples = section.value("keep_samples", .keeping) ?? keepSamples
        keepCandles = section.value("keep_candles", .keeping) ?? keepCandles
        maxSize = section.value("max_size", .size(atLeast: 1 << 20)) ?? maxSize
        backfill = section.optional("backfill", .duration(atLeast: .minutes(1)), default: backfill)
        section.finish()
    }
}
