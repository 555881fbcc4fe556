import Engine
import Foundation
import Markets
import Views

/// A status for people.
struct StatusView {
    let status: StatusReport
    let verdict: StatusVerdict
    /// nil: none are shown.
    var trends: Trends?
    let terminal: Terminal
    var zone: Zone
    let now: Date

    var lines: [String] { head() + markets + alerts + rest }

    /// For a screen that shows the beginning until it is scrolled: the alerts above the markets, and a row for each
    /// reason, however long the errors are.
    var watchedLines: [String] { head(atMost: terminal.width) + alerts + markets + rest }

    private var markets: [String] {
        guard !status.markets.isEmpty else { return [] }
        let table = MarketTable(markets: status.markets, trends: trends, terminal: terminal, now: now)
        let omitted = status.marketsOmitted > 0 ? ["and \(status.marketsOmitted) more"] : []
        return [""] + table.lines + omitted + (portfolios.isEmpty ? [] : [""] + portfolios)
    }

    private var rest: [String] {
        var lines = status.outbox.queued > 0 ? [""] + outbox : []
        let history = status.history
        if !history.database.isEmpty {
            let since = history.oldestAt.map { ", since \(zone.text($0))" } ?? ""
            let samples = "\(history.samples) sample\(history.samples == 1 ? "" : "s")"
            lines += ["", "history: \(samples), \(Bytes.text(history.bytes))\(since), \(history.database)"]
        }
        return lines
    }

    /// - Parameter width: of the first line and each reason; nil: they are shown in full.
    private func head(atMost width: Int? = nil) -> [String] {
        func cut(_ text: String) -> String {
            width.map { SafeText.printable(text, atMost: max(20, $0)) } ?? SafeText.printable(text)
        }
        let summary = status.summary
        var lines =
            [terminal.paint(cut(verdict.line), verdict.exit == 0 ? .green : verdict.exit == 1 ? .yellow : .red)]
            + status.reasons.map { cut("  \($0.code): \(zone.local($0.message))") }
            + [""] + status.feeds.map(line)
        lines.append(
            "24h: \(summary.up) up, \(summary.down) down, \(summary.flat) flat, \(summary.unknown) unknown; "
                + summary.coverageText(at: now))
        if !summary.gainers.isEmpty { lines.append("  up most:   \(summary.gainers.text)") }
        if !summary.losers.isEmpty { lines.append("  down most: \(summary.losers.text)") }
        return lines
    }

    private func line(of feed: StatusReport.Feed) -> String {
        var text = "feed \(SafeText.printable(feed.name)): \(feed.state.rawValue)"
        if let next = feed.nextTryAt { text += ", asked again at \(zone.text(next))" }
        text += ", \(feed.requestsThisMonth) request\(feed.requestsThisMonth == 1 ? "" : "s") this month"
        if let quota = feed.quota { text += " of \(quota)" }
        if let end = feed.quotaEndsAt { text += ", used up by \(zone.text(end))" }
        return text
    }

    /// A line for the messages that are to be sent, and one for each channel that holds some for its quiet hours.
    private var outbox: [String] {
        func messages(_ count: Int) -> String { "\(count) message\(count == 1 ? "" : "s")" }
        // Those whose quiet hours are over wait for a daemon.
        let held = status.outbox.held.filter { $0.until.map { $0 > now } ?? true }
        let queued = held.reduce(status.outbox.queued) { $0 - $1.count }
        let oldest = status.outbox.oldest.map { ", the oldest for \(status.writtenAt.since($0).roundedText)" }
        let waiting = "\(messages(queued)) wait\(queued == 1 ? "s" : "")\(held.isEmpty ? oldest ?? "" : "")"
        let lines = held.map { held in
            let until = held.until.map { end in
                " until \(zone.text(end, end.since(now) < .hours(24) ? .minutesOfDay : .minutes))"
            }
            return "\(messages(held.count)) held\(until ?? "") (\(SafeText.printable(held.channel)))"
        }
        return ((queued > 0 ? [waiting] : []) + lines).map { "outbox: \($0)" }
    }

    private var alerts: [String] {
        let alerts =
            status.firing.map { $0.line("firing", .red, on: terminal, now: now) + hold(on: $0) }
            + status.pending.map { $0.line("pending", .yellow, on: terminal, now: now) + hold(on: $0) }
            + status.dormant.map(\.line)
            + status.silences.filter { $0.until > now }.map { "silenced \($0.words(in: zone))" }
        return alerts.isEmpty ? [] : [""] + alerts
    }

    /// Why the state of an alert on a price is held; empty if it is not.
    private func hold(on alert: AlertEvent) -> String {
        guard !alert.condition.isAboutData,
            let market = status.markets.first(where: { $0.market == alert.market }), market.state != .fresh
        else { return "" }
        return " (held: price \(market.state == .stale ? "stale" : "unknown"))"
    }

    /// The value of each portfolio whose cost is stated, beside it.
    private var portfolios: [String] {
        status.markets.compactMap { market in
            guard let cost = market.cost else { return nil }
            let name = "\(SafeText.printable(market.market.text)): "
            let paid = "cost \(Digits.separated("\(cost)")) \(market.currency)"
            guard let price = market.price, let gain = market.gain else { return "\(name)value unknown, \(paid)" }
            let percent = market.gainPercent.map { " (\($0.signed) %)" } ?? ""
            let sign = gain > 0 ? "+" : gain < 0 ? "-" : ""
            let text = "gain \(sign)\(Price(gain.magnitude)?.shortText ?? "0")\(percent)"
            return "\(name)value \(price.shortText) \(market.currency), \(paid), "
                + terminal.paint(text, gain > 0 ? .green : gain < 0 ? .red : nil)
        }
    }
}

/// The markets of a status as a table that fits its terminal: narrow terminals omit the less important columns.
private struct MarketTable {
    let markets: [StatusReport.Market]
    /// nil: no trend column.
    let trends: Trends?
    let terminal: Terminal
    let now: Date

    private enum Column: Int, CaseIterable {
        case market, symbol, price, change, trend, age, state
    }

    private static let longestID = 24

    var lines: [String] {
        // A pipe has no width, and programs that read it need whole ids.
        guard terminal.isTerminal else { return table(trend: 0).lines(on: terminal) }
        let narrow = Trends.pieces / 2
        let tables = [
            table(trend: Trends.pieces), table(trend: narrow), table(trend: narrow, withReasons: false),
            table(trend: narrow, withReasons: false, without: [.symbol, .age]),
        ]
        return (tables.first { $0.width <= terminal.width } ?? tables[3]).lines(on: terminal)
    }

    private func table(trend width: Int, withReasons: Bool = true, without omitted: Set<Column> = []) -> Table {
        let columns = Column.allCases.filter { !omitted.contains($0) && ($0 != .trend || trends != nil) }
        // Prices of several currencies name their own.
        let currency = Set(markets.map(\.currency)).count == 1 ? markets[0].currency : nil
        let window = trends.map { $0.window == .hours(24) ? "24h" : $0.window.unitsText } ?? ""
        let titles = ["market", "symbol", currency?.code ?? "price", "24h %", "last \(window)", "age", "state"]
        var table = Table(
            columns.map { (titles[$0.rawValue], [.price, .change, .age].contains($0) ? .right : .left) })
        for market in markets {
            let row = row(of: market, currency, trend: width, withReasons)
            table.add(columns.map { row[$0.rawValue] })
        }
        return table
    }

    /// The cells of all columns, in their order.
    private func row(
        of market: StatusReport.Market, _ currency: Currency?, trend width: Int, _ withReasons: Bool
    ) -> [Table.Cell] {
        let none = terminal.isUTF8 ? "–" : "-"
        let direction: Terminal.Colour? = market.change.flatMap { $0 > .zero ? .green : $0 < .zero ? .red : nil }
        let id = market.market.text
        let price = market.price.map { $0.shortText + (currency == nil ? " \(market.currency)" : "") }
        let trend = Sparkline.text(trends?.prices(of: market.market) ?? [], width: width, utf8: terminal.isUTF8)
        let age = market.quotedAt.map { now.since($0).roundedText }
        let reason = withReasons ? market.reason.map { " (\($0.rawValue))" } : nil
        return [
            .init(terminal.isTerminal ? SafeText.printable(id, atMost: Self.longestID) : id),
            .init(SafeText.printable(market.symbol.uppercased(), atMost: 8)),
            .init(price ?? none, price == nil ? .dim : nil),
            .init(market.change.map { String(format: "%+.2f", Double($0.hundredths) / 100) } ?? none, direction),
            .init(trend, direction),
            .init(age ?? none, market.state == .stale ? .yellow : nil),
            .init(market.state.rawValue + (reason ?? ""), market.state == .fresh ? .dim : .yellow),
        ]
    }
}

extension AlertEvent {
    /// `firing high: bitcoin above 60000 for 5 min – note`. Long names and notes are cut.
    func line(_ state: String, _ colour: Terminal.Colour, on terminal: Terminal, now: Date) -> String {
        let since = since.map { " for \(now.since($0).roundedText)" } ?? ""
        let note = note.map { " – \(SafeText.printable($0, atMost: 80))" } ?? ""
        return terminal.paint(state, colour) + " \(SafeText.printable(rule, atMost: 40)): "
            + SafeText.printable("\(market) \(condition)\(since)\(note)")
    }
}

extension DormantAlert {
    fileprivate var line: String {
        "held \(SafeText.printable(rule, atMost: 40)): "
            + SafeText.printable("\(market) \(condition) since its amounts were edited, fires after it has ended")
    }
}

extension Silence {
    /// `high on bitcoin until 2026-11-21 11:00:00 CET`.
    func words(in zone: Zone) -> String {
        let rule = rule.map { SafeText.printable($0) } ?? "all rules"
        let market = market.map { " on \(SafeText.printable($0.text))" } ?? ""
        return "\(rule)\(market) until \(zone.text(until))"
    }
}

enum Bytes {
    /// `12 KiB`, `1.5 MiB`
    static func text(_ count: Int64) -> String {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        for (size, name) in units where count >= size {
            let tenths = count * 10 / Int64(size)
            return tenths >= 100 || tenths % 10 == 0
                ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(count) B"
    }
}
