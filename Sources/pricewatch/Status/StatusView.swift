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
    let zone: Zone
    let now: Date

    /// The whole status, however long.
    var lines: [String] {
        var lines = head
        if !status.markets.isEmpty {
            lines += [""] + table(status.markets)
            if status.marketsOmitted > 0 { lines.append("and \(status.marketsOmitted) more") }
        }
        if !alerts.isEmpty { lines += [""] + alerts }
        if status.outbox.queued > 0 { lines += ["", "outbox: \(status.outboxWords)"] }
        if !status.history.database.isEmpty {
            lines += ["", "history: \(status.historyWords(in: zone)), \(status.history.database)"]
        }
        return lines
    }

    /// As much of the status as fits this many rows: the alerts, and as many markets as fit.
    func lines(rows: Int) -> [String] {
        let most = max(2, rows / 4)
        let alerts =
            alerts.count > most ? alerts.prefix(most - 1) + ["and \(alerts.count - most + 1) more"] : alerts
        let foot = alerts.isEmpty ? [] : [""] + alerts
        let all = status.markets.count + status.marketsOmitted
        // A low screen shows the first line alone above the markets.
        let head = head.count + foot.count + min(all, rows / 3) + 3 <= rows ? head : [first]
        // The markets need two more rows: a blank line and their header.
        let room = rows - head.count - foot.count - 2
        var markets: [String] = []
        if all > 0, room > 0 {
            let shown = all <= room ? all : min(status.markets.count, room - 1)
            markets = [""] + table(status.markets.prefix(shown))
            if all > shown { markets.append("and \(all - shown) more") }
        }
        return Array((head + markets + foot).prefix(rows))
    }

    private var first: String {
        terminal.paint(verdict.line, verdict.exit == 0 ? .green : verdict.exit == 1 ? .yellow : .red)
    }

    private var head: [String] {
        let summary = status.summary
        var lines =
            [first]
            + status.reasons.map { "  \(SafeText.printable($0.code)): \(SafeText.printable(zone.local($0.message)))" }
            + [""] + status.feeds.map { "feed \(SafeText.printable($0.name)): \($0.words(in: zone))" }
        lines.append("24h: \(summary.countsWords); \(summary.coverage) % of the time covered")
        if !summary.gainers.isEmpty { lines.append("  up most:   \(summary.gainers.text)") }
        if !summary.losers.isEmpty { lines.append("  down most: \(summary.losers.text)") }
        return lines
    }

    private var alerts: [String] {
        status.firing.map { $0.line("firing", .red, on: terminal, now: now) }
            + status.pending.map { $0.line("pending", .yellow, on: terminal, now: now) }
            + status.silences.filter { $0.until > now }.map { "silenced \($0.words(in: zone))" }
    }

    private func table(_ markets: some Collection<StatusReport.Market>) -> [String] {
        MarketTable(markets: Array(markets), trends: trends, terminal: terminal, now: now).lines
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
        let window = trends?.windowText ?? ""
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
        let trend = Sparkline.text(trends?.prices[market.market] ?? [], width: width, utf8: terminal.isUTF8)
        let age = market.quotedAt.map { now.since($0).roundedText }
        let reason = withReasons ? market.reason.map { " (\($0.rawValue))" } : nil
        return [
            .init(terminal.isTerminal ? SafeText.printable(id, atMost: Self.longestID) : id),
            .init(SafeText.printable(market.symbol.uppercased(), atMost: 8)),
            .init(price ?? none, price == nil ? .dim : nil),
            .init(market.change?.tableText ?? none, direction),
            .init(trend, direction),
            .init(age ?? none, market.state == .stale ? .yellow : nil),
            .init(market.state.rawValue + (reason ?? ""), market.state == .fresh ? .dim : .yellow),
        ]
    }
}

extension AlertEvent {
    /// `firing high: bitcoin above 60000 for 5 min – note`. Long names and notes are cut.
    func line(_ state: String, _ colour: Terminal.Colour, on terminal: Terminal, now: Date) -> String {
        terminal.paint(state, colour) + " \(SafeText.printable(rule, atMost: 40)): "
            + "\(SafeText.printable(market.text)) \(words(now: now))"
    }
}
