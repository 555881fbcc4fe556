import Markets

/// What of the configuration the daemon heals by.
struct BackfillSettings: Sendable {
    /// How far back a gap is healed.
    var reach: Duration
    var candidates: [PastCandidates]
    var limits: PastLimits

    init?(_ configuration: Configuration) {
        guard let reach = configuration.history.backfill else { return nil }
        self.reach = reach
        candidates = configuration.pastCandidates(of: configuration.namedMarkets)
        limits = PastLimits(configuration)
    }
}

/// How much of the past feeds may be asked for, by their names.
struct PastLimits: Sendable {
    /// The time between two questions.
    var pauses: [String: Duration]
    /// Requests a month; a feed without a limit is left out.
    var quotas: [String: Int]

    init(_ configuration: Configuration) {
        pauses = Dictionary(configuration.feeds.map { ($0.name, $0.pastPause) }, uniquingKeysWith: { $1 })
        quotas = Dictionary(
            configuration.feeds.compactMap { feed in feed.monthlyQuota.map { (feed.name, $0) } },
            uniquingKeysWith: { $1 })
    }
}
