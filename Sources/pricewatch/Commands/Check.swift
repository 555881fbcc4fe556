import ArgumentParser
import Engine
import Feeds
import Foundation
import Markets
import Views

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reads the configuration, prints what it understood and what it costs in requests a month.")

    @OptionGroup var installation: InstallationOptions
    @Flag(help: "Also ask the provider: ids, currency, key and host; and the engines of export.")
    var online = false
    @Flag(help: "For programs.")
    var json = false

    func run() async throws {
        let reading = try installation.read()
        let answers = online ? try await OnlineCheck.run(reading.configuration) : nil
        let findings = CheckFindings(reading, online: answers, now: Date())
        StandardOutput.write(lines: json ? [findings.json] : findings.lines)
        if let faults = answers?.faults, !faults.isEmpty {
            throw CommandError(faults.map { "check \($0)" }.joined(separator: "\n"), Exit.noAnswer)
        }
    }
}

/// The meaning of a configuration: what is polled, the interval, the cost, and the paths.
struct CheckFindings {
    private let reading: ConfigurationReading
    private let settings: Settings
    private let costs: [FeedCost]
    private let warnings: [String]
    /// nil if the online check was not made.
    private let online: OnlineCheck?
    private let now: Date

    init(_ reading: ConfigurationReading, online: OnlineCheck?, now: Date) {
        self.reading = reading
        self.now = now
        let configuration = reading.configuration
        settings = Settings(configuration, host: "")
        costs = FeedCost.all(configuration, settings.sources)
        var warnings = reading.warnings.map(\.description) + costs.compactMap(\.warning)
        for member in settings.sources.map(\.members[0]) {
            // Only CoinGecko is asked for any id as it is written.
            guard configuration.feed(named: member.feed).provider == .coinGecko else { continue }
            for entry in member.watch.entries {
                let isMissing = online?.missing.contains(entry.market) ?? false
                guard !isMissing, let meant = KnownMarkets.market(withSymbol: entry.providerID) else { continue }
                let isID = meant.text == entry.providerID.lowercased()
                warnings.append(
                    isID
                        ? "\(entry.market): ids are in lower case at \(member.feed); did you mean \(meant)?"
                        : "\(entry.market): is a symbol, where \(member.feed) takes an id; did you mean \(meant)? "
                            + "(all with this symbol: pricewatch find \(entry.market))")
            }
        }
        for member in settings.sources.map(\.members[0]) {
            for market in member.unmapped {
                warnings.append(
                    "\(market): has no id at \(member.feed), so it is missing there "
                        + "(say {id: \(market), \(member.feed): ITS-ID-THERE} in watch.markets)"
                        + (KnownMarkets.market(withSymbol: market.text).map { "; did you mean \($0)?" } ?? ""))
            }
        }
        let asked = Set(settings.sources.flatMap { $0.members.map(\.feed) })
        for feed in configuration.feeds.map(\.name) where !asked.contains(feed) {
            warnings.append(
                "\(feed): is never asked, since no market has a name there "
                    + "(say {id: MARKET, feed: \(feed)} or {id: MARKET, \(feed): ITS-ID-THERE} in watch.markets)")
        }
        if configuration.notify.isEmpty, settings.rules.contains(where: { $0.notify != [] }) {
            warnings.append("no channel is configured: alerts go to the log and the status only (see notify)")
        }
        warnings += configuration.twiceNotified(by: settings.rules).map { name, kind in
            "\(name): would be notified twice, by each daemon, since another posts the same alerts (shared: true); "
                + (kind == "alertmanager"
                    ? "say shared: true there, too"
                    : "let the Alertmanagers notify it, or configure it in one of the two alone")
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        warnings += configuration.notify.compactMap { channel in
            channel.address.missingProgram(path: path).map { "\(channel.name): \($0)" }
        }
        self.warnings = warnings + (online?.warnings ?? [])
        self.online = online
    }

    var lines: [String] {
        let configuration = reading.configuration
        let zone = configuration.zone
        let abbreviation = zone.abbreviation(at: now)
        var lines = [
            "configuration: \(reading.file.map { $0.path } ?? "none; built-in defaults")",
            "watches:       \(watched)",
            "time zone:     \(zone.name == abbreviation ? zone.name : "\(zone.name), now \(abbreviation)")",
        ]
        lines += configuration.watch.markets.compactMap { market in
            market.portfolio.map { portfolio in
                let currency = configuration.currencies[market.id]
                let cost = portfolio.cost.map { "; cost \($0) \(currency)" } ?? ""
                return "portfolio:     \(market.id): \(portfolio.amounts), in \(currency)\(cost)"
            }
        }
        lines += costs.flatMap(\.lines)
        lines.append("rules:         \(settings.rules.count)")
        lines += settings.rules.map(line)
        if !configuration.notify.isEmpty { lines.append("channels:      \(configuration.notify.count)") }
        lines += configuration.notify.map { "  \($0.name): \($0.summary)" }
        if !configuration.exports.isEmpty { lines.append("exports:       \(configuration.exports.count)") }
        lines += configuration.exports.map { "  \($0.name): \($0.address.shown)" }
        if let digest = configuration.digest {
            let days = digest.days == .daily ? "" : "on \(digest.days) "
            lines.append(
                "digest:        \(days)at \(digest.at) to \((["the log"] + digest.notify).joined(separator: ", "))")
        }
        if let heartbeat = configuration.heartbeat {
            lines.append("heartbeat:     every \(heartbeat.every.unitsText), after a poll that brought prices")
        }
        if let page = configuration.pageURL { lines.append("links to:      \(page.home)") }
        lines += [
            "database:      \(configuration.history.database)",
            "log:           \(configuration.log.file ?? "standard error")",
            "status:        \(configuration.reports.status)",
        ]
        lines += (online?.findings ?? []).map { "online:        \($0)" }
        lines += warnings.map { "warning: \($0)" }
        return lines.map(SafeText.printable)
    }

    /// `3 named: bitcoin, ethereum, in eur, and AAPL in usd`
    private var watched: String {
        let (currencies, top) = (settings.watchlist.currencies, settings.watchlist.top)
        let named = settings.watchlist.named.map(\.market)
        var groups = Dictionary(grouping: named) { currencies[$0].code }
            .mapValues { $0.map(\.text).shortened.joined(separator: ", ") }
        let usual = [groups.removeValue(forKey: currencies.usual.code), top > 0 ? "the \(top) largest" : nil]
            .compactMap(\.self)
        let others = groups.sorted { $0.key < $1.key }.map { "\($1) in \($0)" }
        let all = (usual.isEmpty ? [] : ["\(usual.joined(separator: ", and ")), in \(currencies.usual)"]) + others
        return (named.isEmpty ? "" : "\(named.count) named: ") + all.joined(separator: ", and ")
    }

    private func line(_ rule: AlertRule) -> String {
        let scope =
            switch rule.scope {
            case .all: "all markets"
            case .markets(let ids): ids.map(\.text).shortened.joined(separator: ", ")
            case .feed(let feed, _): "the feed \(feed) gives"
            }
        let modifiers = [
            rule.holdFor > .zero ? " for \(rule.holdFor.unitsText)" : nil,
            rule.clear.map { ", clears at \($0)" },
            rule.keepFiringFor > .zero ? ", kept firing for \(rule.keepFiringFor.unitsText)" : nil,
            rule.repeatEvery.map { ", repeated every \($0.unitsText)" },
            rule.repeatOnMove.map { ", repeated at each further \($0)%" },
            rule.once ? ", once" : nil,
        ]
        let channels = channels(of: rule)
        let destination = channels.isEmpty ? "log and status only" : channels.joined(separator: ", ")
        return "  \(rule.name): \(scope) \(rule.condition)\(modifiers.compactMap { $0 }.joined()), "
            + "\(rule.severity.rawValue), to \(destination)\(state(of: rule))"
    }

    private func state(of rule: AlertRule) -> String {
        guard rule.enabled else { return " (disabled)" }
        guard let expires = rule.expires else { return "" }
        let zone = reading.configuration.zone
        return rule.isExpired(at: now) ? " (expired at \(zone.text(expires)))" : " (until \(zone.text(expires)))"
    }

    private func channels(of rule: AlertRule) -> [String] {
        rule.notify ?? reading.configuration.notify.map(\.name)
    }

    var json: String {
        let configuration = reading.configuration
        var json = JSONWriter()
        json.object { json in
            json.member("schema", 1)
            json.member("file", reading.file?.path)
            json.member("currency", settings.watchlist.currencies.usual.code)
            json.array("markets", settings.watchlist.named) { $0.string($1.market.text) }
            json.array("portfolios", configuration.watch.markets.filter { $0.portfolio != nil }) { json, market in
                json.object { json in
                    json.member("market", market.id.text)
                    json.member("currency", configuration.currencies[market.id].code)
                    json.array("holds", market.portfolio?.parts ?? []) { json, part in
                        json.object { json in
                            json.member("market", part.market.text)
                            json.member("amount", part.amount)
                        }
                    }
                    json.member("cost", market.portfolio?.cost)
                }
            }
            json.member("top", settings.watchlist.top)
            json.array("feeds", costs) { $1.write(&$0) }
            json.array("rules", settings.rules) { json, rule in
                json.object { json in
                    json.member("name", rule.name)
                    json.member("condition", rule.condition.description)
                    json.member("severity", rule.severity.rawValue)
                    json.array("notify", channels(of: rule)) { $0.string($1) }
                    json.member("enabled", rule.enabled && !rule.isExpired(at: now))
                }
            }
            json.array("channels", configuration.notify) { json, channel in
                json.object { json in
                    json.member("name", channel.name)
                    json.member("kind", channel.address.kind)
                }
            }
            json.array("exports", configuration.exports) { json, export in
                json.object { json in
                    json.member("name", export.name)
                    json.member("url", export.address.shown)
                }
            }
            json.member("database", configuration.history.database)
            json.member("log_file", configuration.log.file)
            json.member("status_file", configuration.reports.status)
            if let online { json.array("online", online.findings) { $0.string($1) } }
            json.array("warnings", warnings + (online?.faults ?? [])) { $0.string($1) }
        }
        return json.text
    }
}

extension Configuration {
    /// The channels that each of two daemons would send the same to, if a channel says that there are two.
    fileprivate func twiceNotified(by rules: [AlertRule]) -> [(name: String, kind: String)] {
        let shared = Routing.Channel.Contents.states(isShared: true)
        guard notify.contains(where: { $0.routing.takes == shared }) else { return [] }
        return notify.filter { channel in
            let isNamed = rules.contains { $0.enabled && $0.notify?.contains(channel.name) ?? true }
            return channel.routing.takes != shared && (isNamed || digest?.notify.contains(channel.name) == true)
        }.map { ($0.name, $0.address.kind) }
    }
}

extension Configuration.Channel {
    /// Its properties without secrets: `ntfy, quiet 23:00-07:00 below critical, given up after 1d`.
    fileprivate var summary: String {
        var parts = [address.kind]
        if case .states(let isShared) = routing.takes {
            parts += [address.host].compactMap(\.self) + ["the state of all alerts at every poll"]
            return (parts + (isShared ? ["shared with another pricewatch"] : [])).joined(separator: ", ")
        }
        if let quiet = routing.quiet { parts.append("quiet \(quiet) below critical") }
        if !routing.sendResolved { parts.append("no word of resolved alerts") }
        parts.append("given up after \(routing.maxAge.unitsText)")
        return parts.joined(separator: ", ")
    }
}
