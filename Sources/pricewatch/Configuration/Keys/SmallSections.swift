import Engine
import Feeds
import HTTP
import History
import Logging
import Markets

/// The sections that hold a few plain keys.
extension Configuration {
    struct Poll: Hashable, Sendable {
        /// `every`: at least 1 s; nil: by plan, see `Configuration.every(of:)`.
        var every: Duration?
        /// `timeout`: of a whole request, from name resolution to the last byte.
        var timeout: Duration = .seconds(20)
        /// `retry`: within one poll.
        var retry = RetryPolicy()
        /// `stale_after`: nil: the longer of 15 minutes and 3 × every, see `Configuration.staleness(of:)`.
        var staleAfter: Duration?
        /// `confirm_moves_over`: a larger move needs confirmation by the next poll; nil: none does.
        var confirmMovesOver: Percent? = Percent(hundredths: 20_00)
    }

    struct History: Hashable, Sendable {
        /// `database`: absolute. Default: `history.db` in the state folder.
        var database: String
        /// `keep_samples`, `keep_candles`, `max_size`.
        var retention = Retention(samples: .hours(90 * 24), maxSize: 2 << 30)
        /// `backfill`: how far back gaps are backfilled; nil: never.
        var backfill: Duration? = .hours(24)
    }

    struct Alerting: Hashable, Sendable {
        /// `alerts`: the configured rules, in the file's order.
        var rules: [AlertRule] = []
        /// `builtin_alerts`: whether feed-stale, market-stale and market-missing are active.
        var builtIn = true
    }

    /// Files that are replaced after every cycle; the paths are absolute.
    struct Reports: Hashable, Sendable {
        /// `status_file`. Default: `status.json` in the runtime folder.
        var status: String
        /// `metrics_file`; nil: none is written.
        var metrics: String?
    }

    struct Log: Hashable, Sendable {
        /// `file`: absolute; nil: standard error only. Default: `pricewatch.log` in the log folder.
        var file: String?
        /// `level`: the lowest level written; alerts and the service's start and stop are written at every level.
        var level: Logger.Level = .info
        /// `format`: of the lines of the file and of standard error.
        var format: LoggedLine.Format = .text
    }

    /// The summary of 24 hours.
    struct Digest: Hashable, Sendable {
        /// `at`: in `timezone`.
        var at = TimeOfDay(hour: 7, minute: 0)
        /// `on`: the days.
        var days = Weekdays.daily
        /// `notify`: the channels; the digest is always logged, too.
        var notify: [String] = []
    }

    /// A GET after a poll with prices, for external monitoring.
    struct Heartbeat: Hashable, Sendable {
        /// `url`: a secret, since anyone who knows it can fake the heartbeat.
        var url: Secret
        /// `every`: the shortest time between two requests. At least 1 s.
        var every: Duration = .seconds(300)
    }
}

extension Configuration.Poll {
    mutating func read(_ section: Section) {
        section.read("every", into: &every, .interval)
        section.read("timeout", into: &timeout, .duration(atLeast: .milliseconds(1)))
        section.section("retry") { retry.read($0) }
        section.read("stale_after", into: &staleAfter, .duration(atLeast: .seconds(1)))
        section.read("confirm_moves_over", into: &confirmMovesOver, .percent)
    }
}

extension RetryPolicy {
    fileprivate mutating func read(_ section: Section) {
        section.read("attempts", into: &attempts, .integer(1...10))
        section.read("base", into: &base, .duration(atLeast: .milliseconds(1)))
        section.read("cap", into: &cap, .duration(atLeast: .milliseconds(1)))
        if cap < base {
            let key = section.holds("cap") ? "cap" : "base"
            section.fault(at: key, "the cap of \(cap.unitsText) is shorter than the base of \(base.unitsText)")
        }
    }
}

extension Configuration.History {
    mutating func read(_ section: Section) {
        section.read("database", into: &database, .path(section.context))
        section.read("keep_samples", into: &retention.samples, .keeping)
        section.read("keep_candles", into: &retention.candles, .keeping)
        if let size = section.value("max_size", .size(atLeast: 1 << 20)) { retention.maxSize = size }
        section.read("backfill", into: &backfill, .duration(atLeast: .minutes(1)))
    }
}

extension Configuration.Log {
    mutating func read(_ section: Section) {
        section.read("file", into: &file, .path(section.context))
        section.read("level", into: &level, .word(of: [.debug, .info, .warning, .error]))
        section.read("format", into: &format, .word)
    }
}

extension Configuration.Digest {
    mutating func read(_ section: Section, channels: [String]) {
        section.read("at", into: &at, .timeOfDay)
        days = section.oneOrMore("on", .weekdays).flatMap(Weekdays.init(joining:)) ?? days
        notify = section.list("notify", .word(of: channels)) ?? notify
    }
}

extension Configuration.Heartbeat {
    init?(_ section: Section) {
        let allowHTTP = section.value("allow_http", .boolean) ?? false
        let url = section.secret("url", .url(allowHTTP: allowHTTP))
        let every = section.value("every", .interval)
        if !section.holds("url") { section.fault("needs a url") }
        guard let url else { return nil }
        self.init(url: url)
        self.every = every ?? self.every
    }
}
