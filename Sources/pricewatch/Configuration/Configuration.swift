import Engine
import Foundation
import Markets

/// The configuration: defaults, overlaid by the file, validated, then immutable.
///
/// Each key has its default here and in the types of `Keys`, as the initial value of its property. Defaults that depend
/// on the plan are in `ProviderTerms`, those that depend on writable folders in `DefaultFolders`.
struct Configuration: Equatable, Sendable {
    /// `currency`: that of prices, but for `json` feeds that state their own; see `currencies`.
    var currency: Currency = .usd
    /// `watch`: the watched markets.
    var watch = Watch()
    /// `feeds`, in order of preference; never empty.
    var feeds: [Feed] = [Feed(name: "coingecko", provider: .coinGecko)]
    /// `poll`: the interval, timeouts and retries.
    var poll = Poll()
    /// `history`: what is kept, where, and for how long.
    var history: History
    /// `alerts` and `builtin_alerts`: the rules; see `alertRules`.
    var alerts = Alerting()
    /// `notify`: the channels, in the file's order.
    var notify: [Channel] = []
    /// `digest`: the daily summary; nil: off.
    var digest: Digest? = Digest()
    /// `timezone`: of digest, quiet hours and all times for people.
    var zone = Zone.utc
    /// `web.url`: where messages link to; nil: they carry no link.
    var pageURL: PageURL?
    /// `heartbeat`: the URL to notify after a poll with prices; nil: none.
    var heartbeat: Heartbeat?
    /// `export`: the time-series engines that samples are sent to, in the file's order.
    var exports: [Export] = []
    /// `log`: the log file.
    var log: Log
    /// `status_file` and `metrics_file`: what is replaced after every cycle.
    var reports: Reports

    /// The built-in defaults, with all written files under `folders`.
    init(folders: DefaultFolders) {
        history = History(database: folders.state + "/history.db")
        log = Log(file: folders.log + "/pricewatch.log")
        reports = Reports(status: folders.runtime + "/status.json")
    }
}

extension Configuration {
    /// Overlays the file on the defaults.
    mutating func read(_ root: Section) {
        root.read("timezone", into: &zone, .zone(root.context))
        root.context.zone = zone
        root.read("currency", into: &currency, .currency)
        feeds = Feed.list(root, in: currency) ?? feeds
        root.section("watch") { watch.read($0, feeds: feeds, in: currency) }
        root.section("poll") { poll.read($0) }
        root.section("history") { history.read($0) }

        // A rule may name a channel that is faulty itself.
        var channels: [String] = []
        root.section("notify") { section in
            channels = section.pairs.map(\.key)
            notify = Channel.list(section)
        }
        root.read("builtin_alerts", into: &alerts.builtIn, .boolean)
        alerts.rules = readRules(root, channels: channels)
        if root.mentions("digest"), !root.holds("digest") { digest = nil }
        root.section("digest") { section in
            digest?.read(section, channels: channels)
            let states = notify.filter { $0.routing.takes != .messages }.map(\.name)
            if let name = digest?.notify.first(where: states.contains) {
                section.fault(
                    at: "notify", "\(name) is an alertmanager, which takes alerts and no digest: leave it out")
            }
        }
        root.section("heartbeat") { heartbeat = Heartbeat($0) }
        root.section("web") { $0.read("url", into: &pageURL, .pageURL) }
        exports = Export.list(root)

        root.section("log") { log.read($0) }
        root.read("status_file", into: &reports.status, .path(root.context))
        root.read("metrics_file", into: &reports.metrics, .path(root.context))
        root.finish()
        if root.context.faults.isEmpty {
            judgeWatch(root)
            judgeStandbys(root)
        }
        judgePaths(root)
    }

    private func judgeWatch(_ root: Section) {
        if watch.top == 0, namedMarkets.isEmpty {
            root.fault("nothing is watched: name watch.markets, or set watch.top")
        }
        judgeJSONFeeds(root)
        if watch.top > 0, feeds[0].provider.listed?.ranksMarkets != true {
            root.fault(
                "watch.top: \(feeds[0].name) cannot be asked for the largest markets: name watch.markets instead")
        }
    }

    /// Reports feeds that would stand in for a feed in another currency: a market has one currency.
    private func judgeStandbys(_ root: Section) {
        guard let members = sources.first(where: { $0.id == .shared })?.members else { return }
        let (first, ours) = (feeds[0], members[0].watch.currency)
        for member in members.dropFirst() where member.watch.currency != ours {
            // Only `json` feeds have a currency of their own: this one, or the first.
            let place = feeds.firstIndex { $0.name == member.feed && $0.currency != nil } ?? 0
            let (stated, wanted) = place == 0 ? (ours, member.watch.currency) : (member.watch.currency, ours)
            let market = member.watch.entries.first?.market.text ?? "MARKET"
            root.items("feeds")?[place].section { section in
                section.entries().first { $0.name.hasPrefix("currency") }?.item.fault(
                    "\(stated) is not \(wanted): \(member.feed) cannot stand in for \(first.name) with the price of "
                        + "\(market) (say {id: \(market), feed: \(feeds[place].name)}, which asks that feed alone, or ask "
                        + "its server for \(wanted))")
            }
        }
    }

    /// Reports feeds that are asked for several markets by a URL that names none, so that nothing in the answer would
    /// say which price is whose.
    private func judgeJSONFeeds(_ root: Section) {
        let counts = sources.flatMap(\.members).map { ($0.feed, $0.watch.entries.count) }
        for (feed, item) in zip(feeds, root.items("feeds") ?? []) {
            guard let json = feed.json, !json.url.namesMarkets, json.fields.id == nil,
                let pairs = item.value.pairs(root.context)
            else { continue }
            let section = Section(pairs, path: item.path, at: item.position, root.context)
            let count = counts.lazy.filter { $0.0 == feed.name }.map(\.1).max() ?? 0
            guard count > 1, !section.holds("list") else { continue }
            section.fault(
                at: "url",
                "does not say which of its \(count) markets is asked for: put {id} (one request a market) or {ids} into "
                    + "it, or say where the document lists them: list: /data and fields: {id: /symbol} "
                    + "(list: \"\" if the document is keyed by id)")
        }
    }

    /// Reports paths that are used twice.
    private func judgePaths(_ root: Section) {
        // Two writers would destroy each other's file.
        var owners: [String: String] = [:]
        let paths = [
            ("history.database", history.database), ("log.file", log.file), ("status_file", reports.status),
            ("metrics_file", reports.metrics),
        ]
        for case (let key, let path?) in paths {
            if let owner = owners.updateValue(key, forKey: path) {
                root.fault("\(owner) and \(key) are the same file, \(path.printable)")
            }
        }
    }
}
