import Engine
import Feeds
import Foundation
import Markets

/// The meaning of a configuration: what is polled, the interval, the cost, and the paths.
struct CheckFindings {
    private let reading: ConfigurationReading
    private let settings: Settings
    private let costs: [FeedCost]
    private let warnings: [String]
    private let online: [String]?
    private let now: Date

    /// - Parameter online: The findings of the online check; nil if it was not made.
    init(_ reading: ConfigurationReading, online: OnlineCheck?, now: Date) throws {
        self.reading = reading
        self.now = now
        let configuration = reading.configuration
        settings = Settings(configuration, host: "")
        costs = FeedCost.all(configuration, settings.sources)
        var warnings = reading.warnings.map(\.description) + costs.warnings
        for member in settings.sources.map(\.members[0]) {
            for market in member.unmapped {
                warnings.append(
                    "\(market): has no id at \(member.feed), so it is missing there "
                        + "(say {id: \(market), \(member.feed): ITS-ID-THERE} in watch.markets)")
            }
        }
        let asked = Set(settings.sources.flatMap { $0.members.map(\.feed) })
        for feed in configuration.feeds where !asked.contains(feed.name) {
            warnings.append(
                "\(feed.name): is never asked, since no market has a name there "
                    + "(say {id: MARKET, feed: \(feed.name)} or {id: MARKET, \(feed.name): ITS-ID-THERE} in watch.markets)"
            )
        }
        if configuration.notify.isEmpty, settings.rules.contains(where: { $0.notify != [] }) {
            warnings.append("no channel is configured: alerts go to the log and the status alone (see notify)")
        }
        warnings += configuration.missingPrograms(path: ProcessInfo.processInfo.environment["PATH"] ?? "")
        self.warnings = warnings + (online?.warnings ?? [])
        self.online = online?.findings
    }

    var lines: [String] {
        let configuration = reading.configuration
        let names = settings.watchlist.named.map(\.market.text)
        let shown = Self.shortened(names)
        let top = settings.watchlist.top
        var watched: [String] = []
        if !names.isEmpty { watched.append("\(names.count) named: \(shown)") }
        if top > 0 { watched.append("the \(top) largest") }
        var lines = [
            "configuration: \(reading.file.map { $0.path } ?? "none; built-in defaults")",
            "watches:       \(watched.joined(separator: ", and ")), in \(settings.currency)",
        ]
        lines += costs.flatMap(\.lines)
        lines.append("rules:         \(settings.rules.count)")
        for rule in settings.rules {
            let scope: String =
                switch rule.scope {
                case .all: "all markets"
                case .markets(let ids): Self.shortened(ids.map(\.text))
                case .feed(let feed, _): "the feed \(feed)"
                }
            let hold = rule.holdFor > .zero ? " for \(rule.holdFor.unitsText)" : ""
            let clear = rule.clear.map { ", clears at \($0)" } ?? ""
            let off = rule.enabled ? expiry(of: rule) : " (disabled)"
            let keeps = rule.keepFiringFor > .zero ? ", kept firing for \(rule.keepFiringFor.unitsText)" : ""
            let repeats = rule.repeatEvery.map { ", repeated every \($0.unitsText)" } ?? ""
            let steps = rule.repeatOnMove.map { ", repeated at each further \($0)%" } ?? ""
            let once = rule.once ? ", once" : ""
            lines.append(
                "  \(rule.name): \(scope) \(rule.condition)\(hold)\(clear)\(keeps)\(repeats)\(steps)\(once), "
                    + "\(rule.severity.rawValue), to \(configuration.destination(of: rule))\(off)")
        }
        lines += configuration.outlets
        lines += [
            "database:      \(configuration.history.database)",
            "log:           \(configuration.log.file ?? "standard error")",
            "status:        \(configuration.statusFile)",
        ]
        lines += (online ?? []).map { "online:        \($0)" }
        lines += warnings.map { "warning: \($0)" }
        return lines.map(SafeText.printable)
    }

    private func expiry(of rule: AlertRule) -> String {
        guard let expires = rule.expires else { return "" }
        return rule.isExpired(at: now) ? " (expired at \(expires.utcText))" : " (until \(expires.utcText))"
    }

    static func shortened(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? " and \(names.count - 8) more" : "")
    }

    var json: String {
        let configuration = reading.configuration
        var json = JSONWriter()
        json.object { json in
            json.member("schema", 1)
            json.member("file", reading.file?.path)
            json.member("currency", settings.currency.code)
            json.array("markets", settings.watchlist.named) { $0.string($1.market.text) }
            json.member("top", settings.watchlist.top)
            json.array("feeds", costs) { $1.write(&$0) }
            json.array("rules", settings.rules) { json, rule in
                json.object { json in
                    json.member("name", rule.name)
                    json.member("condition", rule.condition.description)
                    json.member("severity", rule.severity.rawValue)
                    json.array("notify", configuration.channels(of: rule)) { $0.string($1) }
                    json.member("enabled", rule.enabled && !rule.isExpired(at: now))
                }
            }
            json.array("channels", configuration.notify) { json, channel in
                json.object { json in
                    json.member("name", channel.name)
                    json.member("kind", channel.address.kind)
                }
            }
            json.member("database", configuration.history.database)
            json.member("log_file", configuration.log.file)
            json.member("status_file", configuration.statusFile)
            if let online { json.array("online", online) { $0.string($1) } }
            json.array("warnings", warnings) { $0.string($1) }
        }
        return json.text
    }
}

extension Quota {
    /// The shortest interval, in whole seconds, at which this many requests last for a month of 31 days.
    static func every(pages: Int, lasting quota: Int) -> Duration {
        .seconds((pages * 31 * 86_400 + quota - 1) / max(1, quota))
    }
}
