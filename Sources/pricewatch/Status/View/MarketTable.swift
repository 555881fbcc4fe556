import Foundation
import Markets
import Views

/// The markets of a status as a table that fits its terminal: narrow terminals omit the less important columns.
struct MarketTable {
    fileprivate enum Column: Hashable {
        case market, symbol, price, change, age, state
        /// The state without its reason.
        case plainState
        case trend(width: Int)
    }

    /// Column layouts, the widest first.
    private static let layouts: [[Column]] = [
        [.market, .symbol, .price, .change, .trend(width: Trends.pieces), .age, .state],
        [.market, .symbol, .price, .change, .trend(width: Trends.pieces / 2), .age, .state],
        [.market, .symbol, .price, .change, .trend(width: Trends.pieces / 2), .age, .plainState],
        [.market, .price, .change, .trend(width: Trends.pieces / 2), .age, .plainState],
        [.market, .price, .change, .trend(width: Trends.pieces / 2), .plainState],
        [.market, .price, .change, .plainState],
    ]
    private static let longestID = 24

    private let markets: [StatusDocument.Market]
    private let trends: Trends?
    private let terminal: Terminal
    private let now: Date

    /// - Parameter trends: nil: no trend column.
    init(_ markets: some Sequence<StatusDocument.Market>, trends: Trends?, _ terminal: Terminal, now: Date) {
        self.markets = Array(markets)
        self.trends = trends
        self.terminal = terminal
        self.now = now
    }

    var lines: [String] {
        // A pipe has no width, and programs that read it need whole ids.
        guard terminal.isTerminal else {
            return table([.market, .symbol, .price, .change, .age, .state], id: .max).lines(on: terminal)
        }
        let layouts = trends == nil ? Self.layouts.map { $0.filter { !$0.isTrend } } : Self.layouts
        let tables = layouts.lazy.map { table($0, id: Self.longestID) }
        if let fitting = tables.first(where: { $0.width <= terminal.width }) { return fitting.lines(on: terminal) }
        return table([.market, .price, .change, .plainState], id: 10).lines(on: terminal)
    }

    /// The currency of all prices; nil if they differ.
    private var currency: String? {
        let first = markets.first?.currency
        return markets.allSatisfy { $0.currency == first } ? first : nil
    }

    private func table(_ columns: [Column], id length: Int) -> Table {
        let common = currency
        var table = Table(columns.map { (title($0, common), $0.alignment) })
        for market in markets { table.add(columns.map { cell($0, of: market, id: length, common) }) }
        return table
    }

    private func title(_ column: Column, _ currency: String?) -> String {
        switch column {
        case .market: "market"
        case .symbol: "symbol"
        case .price: currency ?? "price"
        case .change: "24h %"
        case .trend: "last \(trends.map { $0.window == .hours(24) ? "24h" : $0.window.unitsText } ?? "")"
        case .age: "age"
        case .state, .plainState: "state"
        }
    }

    private func cell(
        _ column: Column, of market: StatusDocument.Market, id length: Int, _ currency: String?
    ) -> Table.Cell {
        let trend: Terminal.Colour? = market.change.flatMap { $0 > .zero ? .green : $0 < .zero ? .red : nil }
        let none = terminal.isUTF8 ? "–" : "-"
        switch column {
        case .market:
            return .init(length == .max ? market.market : SafeText.printable(market.market, atMost: length))
        case .symbol: return .init(SafeText.printable(market.symbol.uppercased(), atMost: 8))
        case .price:
            guard let text = market.price else { return .init(none, .dim) }
            let price = Price(parsing: text)?.shortText ?? text
            return .init(currency == nil ? "\(price) \(market.currency)" : price)
        case .change: return .init(market.change?.signedToTheHundredth ?? none, trend)
        case .trend(let width):
            return .init(
                Sparkline.text(trends?.prices(of: market.market) ?? [], width: width, utf8: terminal.isUTF8), trend)
        case .age:
            return .init(
                market.quotedAt.map { now.since($0).roundedText } ?? none, market.state == "stale" ? .yellow : nil)
        case .state, .plainState:
            let reason = column == .state ? market.reason.map { " (\($0))" } : nil
            return .init(market.state + (reason ?? ""), market.state == "fresh" ? .dim : .yellow)
        }
    }
}

extension MarketTable.Column {
    fileprivate var isTrend: Bool { if case .trend = self { true } else { false } }

    fileprivate var alignment: Table.Alignment {
        switch self {
        case .price, .change, .age: .right
        case .market, .symbol, .state, .plainState, .trend: .left
        }
    }
}
