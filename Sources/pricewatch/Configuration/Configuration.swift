import Engine
import Foundation
import Markets

/// The configuration: defaults, overlaid by the file, validated, then immutable.
///
/// Each key has its default here and in the types of `Keys`, as the initial value of its property. Defaults that depend
/// on the plan are in `ProviderTerms`, those that depend on writable folders in `DefaultFolders`.
struct Configuration: Equatable, Sendable {
    /// `currency`: the currency of polled and recorded prices.
    var currency: Currency = .usd
    /// `watch`: the watched markets.
    var watch = Watch()
    /// `feeds`, in order of preference; never empty.
    var feeds: [Feed] = [Feed(name: "coingecko", provider: .coinGecko)]
    /// `poll`: the interval, timeouts and retries.
    var poll = Poll()
    /// `history`: what is kept, where, and for how long.
    var history: History
    /// `alerts`: the configured rules, in the file's order; see `alertRules`.
    var alerts: [AlertRule] = []
    /// `builtin_alerts`: whether feed-stale, market-stale and market-missing are active.
    var builtinAlerts = true
    /// `notify`: the channels, in the file's order.
    var notify: [Channel] = []
    /// `digest`: the daily summary; nil: off.
    var digest: Digest? = Digest()
    /// `timezone`: of digest, quiet hours and all times for people.
    var zone = Zone.utc
    /// `heartbeat`: the URL to notify after a poll with prices; nil: none.
    var heartbeat: Heartbeat?
    /// `log`: the log file.
    var log: Log
    /// `status_file`: absolute; replaced after every cycle.
    var statusFile: String
    /// `metrics_file`: absolute; nil: none is written.
    var metricsFile: String?

    /// The built-in defaults, with all written files under `folders`.
    init(folders: DefaultFolders) {
        history = History(database: folders.state + "/history.db")
        log = Log(file: folders.log + "/pricewatch.log")
        statusFile = folders.runtime + "/status.json"
    }
}

extension Configuration {
    /// Overlays the file on the defaults.
    mutating func read(_ root: Section) {
        root.read("timezone", into: &zone, .zone(root.context))
        root.context.zone = zone
        let stated = root.value("currency", .currency)
        currency = stated ?? currency
        feeds = Feed.list(root, in: stated == nil && root.holds("currency") ? nil : currency) ?? feeds
        root.section("watch") { watch.read($0, feeds: feeds) }
        root.section("poll") { poll.read($0) }
        root.section("history") { history.read($0) }

        // A rule may name a channel that is faulty itself.
        var channels: [String] = []
        root.section("notify") { section in
            channels = section.pairs.map(\.key)
            notify = Channel.list(section)
        }
        root.read("builtin_alerts", into: &builtinAlerts, .boolean)
        alerts = readRules(root, channels: channels)
        if root.mentions("digest"), !root.holds("digest") { digest = nil }
        root.section("digest") { digest?.read($0, channels: channels) }
        root.section("heartbeat") { heartbeat = Heartbeat($0) }

        root.section("log") { log.read($0) }
        root.read("status_file", into: &statusFile, .path(root.context))
        root.read("metrics_file", into: &metricsFile, .path(root.context))
        root.finish()
        if root.context.faults.isEmpty { judgeWatch(root) }
        judgePaths(root)
    }

    private func judgeWatch(_ root: Section) {
        if watch.top == 0, namedMarkets.isEmpty {
            root.fault("nothing is watched: name watch.markets, or set watch.top")
        }
        if watch.top > 0, feeds[0].provider.listed?.ranksMarkets != true {
            root.fault(
                "watch.top: \(feeds[0].name) cannot be asked for the largest markets: name watch.markets instead")
        }
    }

    /// Reports paths that are used twice.
    private func judgePaths(_ root: Section) {
        // Two writers would destroy each other's file.
        var owners: [String: String] = [:]
        let paths = [
            ("history.database", history.database), ("log.file", log.file), ("status_file", statusFile),
            ("metrics_file", metricsFile),
        ]
        for case (let key, let path?) in paths {
            if let owner = owners.updateValue(key, forKey: path) {
                root.fault("\(owner) and \(key) are the same file, \(path.printable)")
            }
        }
    }
}
