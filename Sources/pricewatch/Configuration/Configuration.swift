import Engine
import Foundation
import Markets

/// The configuration: defaults, overlaid by the file, validated, then immutable.
///
/// Each key has its default here and in the types of `Keys`, as the initial value of its property. Defaults that depend
/// on the plan are in `ProviderTerms`, those that depend on writable folders in `DefaultFolders`.
struct Configuration: Hashable, Sendable {
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
    /// `alerts`: the configured rules, in the file's order.
    var alerts: [Rule] = []
    /// `builtin_alerts`: whether feed-stale, market-stale and market-missing are active.
    var builtinAlerts = true
    /// `notify`: the channels, in the file's order.
    var notify: [Channel] = []
    /// `digest`: the daily summary; nil: off.
    var digest: Digest? = Digest()
    /// `timezone`: for digest and quiet hours only.
    var timeZone: TimeZone = .gmt
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
