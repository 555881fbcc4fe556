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
        var lines =
            status.outbox.queued > 0 ? [""] + status.outboxWords(in: zone, now: now).map { "outbox: \($0)" } : []
        if !status.history.database.isEmpty {
            lines += ["", "history: \(status.historyWords(in: zone)), \(status.history.database)"]
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
            + [""] + status.feeds.map { "feed \(SafeText.printable($0.name)): \($0.words(in: zone))" }
        lines += status.exports.map { "export \(SafeText.printable($0.name)): \($0.words)" }
        lines.append("24h: \(summary.countsWords); \(summary.coverageText(at: now))")
        if !summary.gainers.isEmpty { lines.append("  up most:   \(summary.gainers.text)") }
        if !summary.losers.isEmpty { lines.append("  down most: \(summary.losers.text)") }
        return lines
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
            market.holdingWords.map { words in
                let colour: Terminal.Colour? = market.gain.map { $0 > 0 ? .green : .red }
                return "\(SafeText.printable(market.market.text)): " + terminal.paint(words, colour)
            }
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

extension DormantAlert {
    fileprivate var line: String {
        "held \(SafeText.printable(rule, atMost: 40)): "
            + SafeText.printable("\(market) \(condition) since its amounts were edited, fires after it has ended")
    }
}
