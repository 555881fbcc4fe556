import Engine
import Foundation
import Markets

/// The first page: what fires, the summary, and the table of markets.
package struct MarketsPage {
    private let frame: PageFrame
    private let route: Route
    private let order: MarketOrder
    private let only: Route.MarketState?
    private let trends: [MarketID: [Double?]]
    private let window: String

    /// - Parameters:
    ///   - trends: The newest price of each piece of the window, oldest first, nil where none is known.
    ///   - window: The time that they are of, such as `24h`.
    package init(
        _ frame: PageFrame, order: MarketOrder, only: Route.MarketState?, trends: [MarketID: [Double?]], window: String
    ) {
        self.frame = frame
        self.order = order
        self.only = only
        self.trends = trends
        self.window = window
        route = .markets(order, only: only)
    }

    package var bytes: [UInt8] {
        frame.page(PageFrame.home, route) { html in
            let status = frame.status
            // The sentence has some of them.
            let reasons = status.reasons.map { frame.zone.local($0.message) }.filter { !frame.sentence.contains($0) }
            if !reasons.isEmpty {
                html.element("ul", ["class": "reasons"]) { html in
                    for reason in reasons { html.element("li", text: reason) }
                }
            }
            frame.alerts(&html)
            if status.markets.isEmpty {
                html.element("p", text: "No prices yet. They are shown here after the daemon's first poll.")
            } else {
                html.element("h2", text: "Last 24 hours")
                summary(&html)
                html.element("h2", text: "Prices")
                filters(&html)
                table(&html)
            }
        }
    }

    private func summary(_ html: inout MarkupWriter) {
        let summary = frame.status.summary
        html.element("p", text: "\(summary.countsWords); \(summary.coverageText(at: frame.now))")
        for (words, moves) in [("Up most", summary.gainers), ("Down most", summary.losers)] where !moves.isEmpty {
            html.element("p", ["class": "moves"]) { html in
                html.write(words)
                for move in moves {
                    html.write(" ")
                    html.element("span") { html in
                        frame.link(to: move.market, move.market.text, &html)
                        let (text, style) = PageFrame.change(move.change)
                        html.write(" ")
                        html.element("span", ["class": style], text: text)
                    }
                }
            }
        }
    }

    private func filters(_ html: inout MarkupWriter) {
        let markets = frame.status.markets
        let states = Route.MarketState.allCases.filter { state in markets.contains { $0.state == state } }
        guard states.count > 1 || only != nil else { return }
        let all = ("all \(markets.count)", Route.markets(order), only == nil)
        let each = states.map { state in
            (
                "\(state.rawValue) \(markets.count { $0.state == state })", Route.markets(order, only: state),
                only == state
            )
        }
        frame.choices("Show", [all] + each, &html)
    }

    // MARK: Table

    private static let columns: [(title: String, order: MarketOrder?, style: String?)] = [
        ("Market", .market, nil), ("", nil, nil), ("Price", .price, "n"), ("Change", .change, "n"),
        ("Age", .age, "n wide"), ("State", .state, "wide"),
    ]

    private func table(_ html: inout MarkupWriter) {
        // Prices of several currencies name their own.
        let currency = Set(frame.status.markets.map(\.currency)).count == 1 ? frame.status.markets[0].currency : nil
        html.element("table", ["class": "markets"]) { html in
            html.element("thead") { html in
                html.element("tr") { html in
                    for (title, order, style) in Self.columns {
                        let title =
                            order == .price
                            ? currency.map { "Price in \($0)" } ?? title
                            : order == nil ? "Last \(window)" : title
                        let isSorted = order == self.order
                        let sort = isSorted ? order == .market || order == .age ? "ascending" : "descending" : nil
                        html.element("th", ["scope": "col", "class": style, "aria-sort": sort]) { html in
                            let route = Route.markets(isSorted ? .configured : order ?? .configured, only: only)
                            if order != nil, let path = frame.links.path(route), frame.links.files == nil {
                                html.element("a", ["href": path], text: title)
                            } else {
                                html.write(title)
                            }
                        }
                    }
                }
            }
            html.literal("\n")
            html.element("tbody") { html in
                for market in shown {
                    row(market, currency, &html)
                    html.literal("\n")
                }
            }
        }
        if frame.status.marketsOmitted > 0 { html.element("p", text: "and \(frame.status.marketsOmitted) more") }
    }

    private func row(_ market: StatusReport.Market, _ currency: Currency?, _ html: inout MarkupWriter) {
        let isFresh = market.state == .fresh
        html.element("tr") { html in
            html.element("th", ["scope": "row"]) { html in
                let name = PageFrame.name(market.name, market.market)
                frame.link(to: market.market, SafeText.printable(name, atMost: 60), &html)
                html.literal(" ")
                html.element("small") { html in
                    html.element("bdi", text: SafeText.printable(market.symbol.uppercased(), atMost: 8))
                }
                if !isFresh { html.element("small", ["class": "warn narrow"], text: " \(market.state.rawValue)") }
            }
            html.element("td") { trend(of: market, &$0) }
            html.element("td", ["class": isFresh ? "n" : "n old"]) { html in
                html.write(market.price.map { $0.shortText + (currency == nil ? " \(market.currency)" : "") } ?? "–")
            }
            let (change, style) = PageFrame.change(market.change)
            html.element("td", ["class": "n" + (style.map { " " + $0 } ?? "")], text: change)
            html.element(
                "td", ["class": "n wide"], text: market.quotedAt.map { frame.now.since($0).roundedText } ?? "–")
            html.element("td", ["class": isFresh ? "wide" : "wide warn"]) { html in
                html.write(market.state.rawValue + (market.reason.map { " (\($0.rawValue))" } ?? ""))
            }
        }
    }

    /// The line of a market's prices; its range as text.
    private func trend(of market: StatusReport.Market, _ html: inout MarkupWriter) {
        let prices = trends[market.market] ?? []
        let (step, height) = (4, 20)
        guard let path = Sparkline.path(prices, step: step, height: height) else { return html.write("–") }
        let known = prices.compactMap { $0 }
        func text(_ price: Double?) -> String { price.flatMap { Price(parsing: "\($0)") }?.shortText ?? "" }
        html.element("svg", ["class": "trend", "viewBox": "0 -2 92 24", "role": "img"]) { html in
            html.element("title", text: "\(text(known.min())) to \(text(known.max()))")
            html.empty("path", ["d": path])
        }
    }

    private var shown: [StatusReport.Market] {
        let markets = frame.status.markets.filter { only == nil || $0.state == only }
        /// What is unknown comes last.
        func sorted<Value: Comparable>(
            by value: (StatusReport.Market) -> Value?, _ areInOrder: (Value, Value) -> Bool
        ) -> [StatusReport.Market] {
            let known = markets.compactMap { market in value(market).map { (market, $0) } }
            return known.sorted { areInOrder($0.1, $1.1) }.map(\.0) + markets.filter { value($0) == nil }
        }
        return switch order {
        case .configured: markets
        case .market: sorted(by: { PageFrame.name($0.name, $0.market).lowercased() }, <)
        case .price: sorted(by: { $0.price }, >)
        case .change: sorted(by: { $0.change }, >)
        case .age: sorted(by: { $0.quotedAt }, >)
        case .state: sorted(by: { Route.MarketState.allCases.firstIndex(of: $0.state) }, >)
        }
    }
}
