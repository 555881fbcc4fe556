import Engine
import Foundation
import Markets

/// All that the owner has decided: defaults, overlaid by the file, validated, then frozen.
///
/// Every key has its default here and in the types of `Keys`, as the initial value of its property; those that
/// hang on the plan stand in `Plan`, those that hang on where the program may write in `DefaultFolders`.
struct Configuration: Hashable, Sendable {
    /// `currency`: what prices are asked and recorded in.
    var currency: Currency = .usd
    /// `watch`: the markets asked for.
    var watch = Watch()
    /// `feeds`, in order of preference; never empty.
    var feeds: [Feed] = [Feed(name: "coingecko", provider: .coinGecko)]
    /// `poll`: how often and how patiently.
    var poll = Poll()
    /// `history`: what is kept, where, and how long.
    var history: History
    /// `alerts`: the owner's rules, in the file's order.
    var alerts: [Rule] = []
    /// `builtin_alerts`: whether feed-stale, market-stale and market-missing are watched, too.
    var builtinAlerts = true
    /// `notify`: the channels, in the file's order.
    var notify: [Channel] = []
    /// `digest`: the daily summary; nil: off.
    var digest: Digest? = Digest()
    /// `timezone`: of digest and quiet hours alone.
    var timeZone: TimeZone = .gmt
    /// `heartbeat`: whom to tell that a poll brought prices; nil: nobody.
    var heartbeat: Heartbeat?
    /// `log`: the log file.
    var log: Log
    /// `status_file`: absolute; replaced after every cycle.
    var statusFile: String
    /// `metrics_file`: absolute; nil: none is written.
    var metricsFile: String?

    /// The built-in defaults, with everything that is written under `folders`.
    init(folders: DefaultFolders) {
        history = History(database: folders.state + "/history.db")
        log = Log(file: folders.log + "/pricewatch.log")
        statusFile = folders.runtime + "/status.json"
    }
}
