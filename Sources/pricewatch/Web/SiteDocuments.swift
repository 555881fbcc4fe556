import Engine
import Foundation
import History
import Markets
import Views

/// The pages and documents as of one moment: what the status file and the history say then.
final class SiteDocuments {
    private let configuration: Configuration
    private let now: Date
    /// nil: nothing can be read; `fault` says why.
    private let source: StatusSource?
    private let fault: String
    private let report: StatusReport
    /// nil: the history cannot be read; `notes` say why.
    private let reader: HistoryReader?
    private let notes: [String]
    /// What charts of the same moment share.
    private lazy var alerts = Result { () throws(HistoryError) in try reader?.alerts() ?? [:] }
    private lazy var historyStart = Result { () throws(HistoryError) in try reader?.start() }

    init(_ configuration: Configuration, now: Date) {
        self.configuration = configuration
        self.now = now
        var fault = ""
        do {
            source = try StatusSource(configuration, now: now)
        } catch {
            source = nil
            fault = "unreadable: \((error as? CommandError)?.description ?? "\(error)")"
        }
        self.fault = fault
        var nothing = StatusReport()
        (nothing.state, nothing.writtenAt) = (.stopped, now)
        report = source?.report(at: now) ?? nothing
        do throws(HistoryError) {
            reader = try HistoryReader(at: configuration.history.database)
            notes = []
        } catch {
            reader = nil
            notes = source == nil ? [] : [Self.note(error)]
        }
    }

    private static func note(_ error: HistoryError) -> String {
        if case .absent = error.kind { return "Nothing is recorded yet: there are prices, and no charts." }
        let hint = error.hint.map { " (\($0))" } ?? ""
        return "The history cannot be read: \(error.cause)\(hint). Prices are shown, charts and past alerts are not."
    }

    private var verdict: (sentence: String, exit: Int32, isExpired: Bool) {
        guard let verdict = source?.verdict(at: now) else { return (fault, 3, true) }
        return (verdict.line, verdict.exit, verdict.expired)
    }

    private func frame(_ links: PageLinks, _ more: [String] = []) -> PageFrame {
        let (sentence, exit, _) = verdict
        return PageFrame(
            report, sentence: configuration.zone.local(sentence), exit: exit, notes: notes + more, now: now,
            zone: configuration.zone, links: links)
    }
}

/// What answers a request, or is written to a file.
struct SiteDocument {
    var status = 200
    var type: Kind
    var bytes: [UInt8]

    enum Kind: String {
        case html = "text/html; charset=utf-8"
        case css = "text/css; charset=utf-8"
        case svg = "image/svg+xml; charset=utf-8"
        case csv = "text/csv; charset=utf-8"
        case json = "application/json; charset=utf-8"
        case atom = "application/atom+xml; charset=utf-8"
        case text = "text/plain; charset=utf-8"
    }
}

extension SiteDocuments {
    /// nil: there is no such market. Throws if the history fails while it is read.
    func document(_ route: Route, _ links: PageLinks) throws(HistoryError) -> SiteDocument? {
        switch route {
        case .markets(let order, let only):
            let trends = reader.flatMap { source?.trends(from: $0, now: now) }
            let page = MarketsPage(
                frame(links), order: order, only: only, trends: trends?.prices ?? [:],
                window: trends?.windowText ?? "24h")
            return SiteDocument(type: .html, bytes: page.bytes)
        case .market(let market, let window):
            return try page(of: market, window, links).map { SiteDocument(type: .html, bytes: $0.bytes) }
        case .picture(let market, let window):
            return try chart(of: market, window, rules(on: market)).map {
                SiteDocument(type: .svg, bytes: SVGChart($0).file.bytes)
            }
        case .records(let market, let window):
            return try records(of: market, window).map { SiteDocument(type: .csv, bytes: $0) }
        case .alerts(let since):
            let events = try reader?.events(since: now - since) ?? []
            return SiteDocument(type: .html, bytes: AlertsPage(frame(links), since: since, events: events).bytes)
        case .feed:
            let events = try reader?.events(since: now - .hours(7 * 24)) ?? []
            return SiteDocument(type: .atom, bytes: AlertFeed(events, page: configuration.pageURL, now: now).bytes)
        case .status: return SiteDocument(type: .html, bytes: StatusPage(frame(links)).bytes)
        case .statusJSON:
            let nothing = Array("{\"schema\":\(StatusReport.schema),\"expired\":true,\"exit\":3}\n".utf8)
            return SiteDocument(status: source == nil ? 503 : 200, type: .json, bytes: source?.json(at: now) ?? nothing)
        case .health:
            let (sentence, exit, _) = verdict
            return SiteDocument(status: exit == 0 ? 200 : 503, type: .text, bytes: Array((sentence + "\n").utf8))
        case .stylesheet: return SiteDocument(type: .css, bytes: Stylesheet.bytes)
        }
    }

    /// A page that says why there is no other.
    func page(saying sentence: String, status: Int, _ links: PageLinks) -> SiteDocument {
        SiteDocument(status: status, type: .html, bytes: frame(links).page(saying: sentence))
    }

    /// Every market that has a page.
    var markets: [MarketID] { report.markets.map(\.market) }

    // MARK: One market

    private func page(
        of market: MarketID, _ window: ChartWindow, _ links: PageLinks
    ) throws(HistoryError) -> MarketPage? {
        let rules = try rules(on: market)
        guard let chart = try chart(of: market, window, rules) else { return nil }
        return MarketPage(frame(links), window, chart, rules: rules)
    }

    private func chart(
        of market: MarketID, _ window: ChartWindow, _ rules: [MarketPage.Rule]
    ) throws(HistoryError) -> Chart? {
        let watched = report.markets.first { $0.market == market }
        let preferred = watched?.currency ?? configuration.currency
        var recorded: Currency?
        if let reader { recorded = try reader.currencies(of: market).preferred(preferred) }
        // The end of the running minute, so that a picture stays the same until there is a new price.
        let end = Date(milliseconds: (now.milliseconds / 60_000 + 1) * 60_000)
        // A young history fills its chart; a gap is one only where there was a history.
        let oldest = try historyStart.get() ?? .distantPast
        let start = max(end - window.length, min(oldest, end - .minutes(10)))
        var chart: Chart
        if let reader, let currency = recorded {
            chart = try Chart(
                of: market, in: currency, from: reader, configuration, since: start, until: end)
        } else if let watched {
            chart = Chart(of: market, in: preferred, from: end - window.length, to: end, [])
            (chart.symbol, chart.name, chart.zone) = (watched.symbol, watched.name, configuration.zone)
        } else {
            return nil
        }
        chart.thresholds = rules.flatMap { Chart.Threshold.of($0.name, $0.condition) }
        return chart
    }

    /// The configured rules on a market, and alerts of others that are still on.
    private func rules(on market: MarketID) throws(HistoryError) -> [MarketPage.Rule] {
        let alerts = try alerts.get()
        let configured = configuration.alertRules.filter { $0.enabled && $0.scope.covers(market) }
        let known = Set(configured.map(\.name))
        let others = alerts.filter {
            $0.key.market == market && !known.contains($0.key.rule) && $0.value.state.since != nil
        }
        return configured.map { rule in
            let alert = alerts[AlertKey(rule: rule.name, market: market)]
            return MarketPage.Rule(name: rule.name, condition: rule.condition, state: alert?.state)
        }
            + others.sorted { $0.key.rule < $1.key.rule }.map { key, alert in
                MarketPage.Rule(name: key.rule, condition: alert.condition, state: alert.state)
            }
    }

    /// The prices of a chart as `history` writes them: of a day the recorded ones, else hourly candles.
    private func records(of market: MarketID, _ window: ChartWindow) throws(HistoryError) -> [UInt8]? {
        let watched = report.markets.first { $0.market == market }
        let preferred = watched?.currency ?? configuration.currency
        guard let reader, let currency = try reader.currencies(of: market).preferred(preferred)
        else { return watched == nil ? nil : Array(CSV.line(Records.sampleColumns).utf8) }
        let start = now - window.length
        var csv: [UInt8] = []
        if window == .day {
            csv += CSV.line(Records.sampleColumns).utf8
            try reader.samples(of: market, in: currency, since: start, until: nil) {
                csv += CSV.line(Records.values(of: $0, in: nil)).utf8
            }
        } else {
            csv += CSV.line(Records.candleColumns).utf8
            try reader.candles(of: market, in: currency, every: .hours(1), since: start, until: nil) {
                csv += CSV.line(Records.values(of: $0, market, currency, in: nil)).utf8
            }
        }
        return csv
    }
}
