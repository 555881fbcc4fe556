import Foundation
import Markets

/// The part of the configuration that the engine uses, resolved and immutable.
package struct Settings: Sendable {
    /// This machine's name in messages.
    package var host: String
    /// In which times are told, and digest and quiet hours are meant.
    package var zone = Zone.utc
    package var watchlist: Watchlist
    /// Never empty; the shared source first, where there is one.
    package var sources: [SourceSettings]
    /// The names of all feeds, in the order of the configuration.
    package var feeds: [String]
    package var rules: [AlertRule]
    package var routing: Routing
    /// The time-series engines that samples are sent to.
    package var exports: [ExportSettings] = []
    /// When the day's summary is sent; nil: never.
    package var digest: DigestTime?
    /// How far back a gap is backfilled; nil: never.
    package var backfill: Duration?
    /// The least time between two heartbeats; nil: none is sent.
    package var heartbeat: Duration?
    /// The history is pruned when it takes more bytes than this; nil: no limit.
    package var maxSize: Int64?
    /// The longest duration of a cycle.
    package var deadline: Duration
    /// Single-cycle mode: how long to wait for deliveries after the cycle. Nil: run as a daemon.
    package var once: Duration?

    /// The shortest time between two polls as configured.
    package var every: Duration { sources.map(\.every).min() ?? .minutes(1) }

    package func every(of source: SourceID) -> Duration { sources.first { $0.id == source }?.every ?? every }
}

extension Settings {
    package init(
        host: String, watchlist: Watchlist, sources: [SourceSettings], feeds: [String],
        rules: [AlertRule], routing: Routing, deadline: Duration
    ) {
        self.init(
            host: host, watchlist: watchlist, sources: sources, feeds: feeds, rules: rules, routing: routing,
            digest: nil, deadline: deadline)
    }
}

/// The days and the time of day at which the digest is due.
package struct DigestTime: Hashable, Sendable {
    package var at: TimeOfDay
    package var days: Weekdays

    package init(at: TimeOfDay, on days: Weekdays = .daily) {
        self.at = at
        self.days = days
    }
}

/// One source: an ordered list of feeds and what to ask them for.
package struct SourceSettings: Hashable, Sendable {
    package var id: SourceID
    /// In order of preference; a market's own source has one. Never empty.
    package var members: [Member]
    /// The time between two polls as configured. Cooldowns and the quota may lengthen it.
    package var every: Duration
    /// The longest duration of a poll.
    package var limit: Duration

    /// One feed, and what it is asked for.
    package struct Member: Hashable, Sendable {
        /// By its name in the configuration.
        package var feed: String
        /// The markets that it has an id for. Only the preferred feed is asked for `top`; the others are asked for the
        /// markets of its last ranking.
        package var watch: Watch
        /// Named markets that it has no id for.
        package var unmapped: [MarketID] = []
        /// Its ids for the markets of the ranking.
        package var names = RankedNames.none
        /// Requests per poll.
        package var pages = 1
        /// The shortest poll interval that this feed allows.
        package var every: Duration
        /// Requests per month; nil: no known limit.
        package var quota: Int?
    }

    /// A feed's ids for markets that the configuration does not name.
    package enum RankedNames: Hashable, Sendable {
        case none
        /// Its ids are our market ids.
        case ids
        case known([MarketID: String])

        func name(of market: MarketID) -> String? {
            switch self {
            case .none: nil
            case .ids: market.text
            case .known(let names): names[market]
            }
        }
    }

    package init(id: SourceID, members: [Member], every: Duration, limit: Duration) {
        self.id = id
        self.members = members
        self.every = every
        self.limit = limit
    }

    /// All its feeds quote in it.
    var currency: Currency { members[0].watch.currency }

    /// Prefix of its messages and status reasons; nil for the shared source.
    var name: String? { if case .own(let feed) = id { feed } else { nil } }
}

extension SourceSettings.Member {
    package init(feed: String, watch: Watch, every: Duration) {
        self.init(feed: feed, watch: watch, unmapped: [], every: every)
    }
}

extension DigestTime {
    /// The latest occurrence of this time of day that is not after `now`.
    func lastMoment(before now: Date, in zone: Zone) -> Date {
        let day = 86_400.0
        let seconds = Double(at.hour * 3600 + at.minute * 60)
        let midnight = (zone.wallTime(now) / day).rounded(.down) * day
        let midnights = (0...7).map { midnight - Double($0) * day }.filter(days.contains(dayOf:))
        return midnights.map { zone.moment(showing: $0 + seconds) }.first { $0 <= now } ?? .distantPast
    }
}
