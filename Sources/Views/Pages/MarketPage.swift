import Engine
import Foundation
import Markets

/// One market: its chart with its prices as a table, and its rules.
package struct MarketPage {
    /// A rule on the market, and the state of its alert.
    package struct Rule {
        package var name: String
        package var condition: AlertRule.Condition
        /// nil: it has never been pending or firing.
        package var state: AlertState?

        package init(name: String, condition: AlertRule.Condition, state: AlertState?) {
            self.name = name
            self.condition = condition
            self.state = state
        }

        /// `firing for 5 min`
        func words(now: Date) -> String {
            let since = state?.since.map { " for \(now.since($0).roundedText)" } ?? ""
            return switch state {
            case .firing: "firing\(since)"
            case .pending: "pending\(since)"
            case .latched: "has fired once"
            case .dormant: "held since the amounts were edited, until its condition ends"
            case .inactive, nil: "quiet"
            }
        }
    }

    package var frame: PageFrame
    package var window: ChartWindow
    package var chart: Chart
    package var rules: [Rule]

    package init(_ frame: PageFrame, _ window: ChartWindow, _ chart: Chart, rules: [Rule]) {
        self.frame = frame
        self.window = window
        self.chart = chart
        self.rules = rules
    }

    private var market: StatusReport.Market? { frame.status.markets.first { $0.market == chart.market } }

    package var bytes: [UInt8] {
        let name = PageFrame.name(chart.name, chart.market)
        return frame.page(name, .market(chart.market, window)) { html in
            price(&html)
            frame.alerts(on: chart.market, &html)
            frame.choices(
                "Chart of", ChartWindow.allCases.map { ($0.rawValue, .market(chart.market, $0), $0 == window) }, &html)
            let facts = chart.facts.joined(separator: " · ")
            html.element("p", ["class": "facts"], text: (chart.isEmpty ? "" : "Recorded in this time: ") + facts)
            html.element("figure", ["class": "chart"]) { html in
                for isNarrow in [false, true] { html.append(SVGChart(chart, isNarrow: isNarrow).inline) }
            }
            files(&html)
            rules(&html)
            if !chart.events.isEmpty {
                html.element("h2", text: "Alerts in this time")
                frame.events(chart.events.reversed(), on: chart.market, &html)
            }
            if !chart.hours.isEmpty {
                html.element("h2", text: "Prices in \(chart.currency), \(window.candleWords)")
                table(&html)
            }
        }
    }

    private func price(_ html: inout MarkupWriter) {
        guard let market else {
            return html.element("p", ["class": "note"], text: "This market is no longer watched.")
        }
        let isFresh = market.state == .fresh
        html.element("p", ["class": isFresh ? "price-now" : "price-now old"]) { html in
            html.element("strong", text: market.price.map { "\($0.shortText) \(market.currency)" } ?? "no price")
            guard market.change != nil else { return }
            html.write(" ")
            let (change, style) = PageFrame.change(market.change)
            html.element("span", ["class": style], text: change)
            html.write(" ")
            html.element("span", text: "in 24 h")
        }
        if let words = market.holdingWords { html.element("p", ["class": "facts"], text: words) }
        html.element("p", ["class": "facts"]) { html in
            let reason = market.reason.map { " (\($0.rawValue))" } ?? ""
            html.element("span", ["class": isFresh ? nil : "warn"], text: market.state.rawValue + reason)
            if let quotedAt = market.quotedAt { html.write(" · quoted \(frame.now.since(quotedAt).roundedText) ago") }
            if let feed = market.feed { html.write(" · from \(feed)") }
            html.write(" · symbol ")
            html.element("bdi", text: SafeText.printable(market.symbol.uppercased(), atMost: 50))
            html.write(" · id ")
            html.element("code") { $0.element("bdi", text: chart.market.text) }
        }
    }

    private func files(_ html: inout MarkupWriter) {
        let files = [("CSV", Route.records(chart.market, window)), ("SVG", .picture(chart.market, window))]
        frame.choices("Save as", files.map { ($0.0, $0.1, false) }, &html)
    }

    private func rules(_ html: inout MarkupWriter) {
        guard !rules.isEmpty else { return }
        html.element("h2", text: "Rules")
        html.table("Rules", [("Rule", nil), ("Condition", nil), ("State", nil)]) { html in
            for rule in rules {
                html.element("tr") { html in
                    html.element("th", ["scope": "row"]) { html in
                        html.element("bdi", text: SafeText.printable(rule.name, atMost: 100))
                    }
                    html.element("td", text: rule.condition.words)
                    let isFiring = rule.state?.isFiring ?? false
                    html.element("td", ["class": isFiring ? "bad" : nil]) { html in
                        html.write(rule.words(now: frame.now))
                        let key = AlertKey(rule: rule.name, market: chart.market)
                        if let end = frame.status.silences.end(for: key, at: frame.now) {
                            html.write(", silenced until ")
                            frame.time(end, &html)
                        }
                    }
                }
            }
        }
    }

    private func table(_ html: inout MarkupWriter) {
        let columns: [(String, String?)] = [
            ("From", nil), ("Open", "n wide"), ("High", "n"), ("Low", "n"), ("Close", "n"), ("Samples", "n wide"),
        ]
        html.table("Prices in \(chart.currency), \(window.candleWords)", columns) { html in
            let candles = chart.candles(of: window.candle)
            let texts = candles.map { [$0.open, $0.high, $0.low, $0.close].map(\.shortText) }
            // With as many decimals everywhere, the digits of a column are below each other.
            let decimals = texts.joined().map(Self.decimals).max() ?? 0
            for (candle, prices) in zip(candles, texts).reversed() {
                html.element("tr") { html in
                    frame.rowTitle(candle.start, &html)
                    for (place, price) in prices.enumerated() {
                        let padding = String(repeating: "0", count: decimals - Self.decimals(price))
                        let point = padding.isEmpty || price.contains(".") ? "" : "."
                        html.element("td", ["class": columns[place + 1].1], text: price + point + padding)
                    }
                    html.element("td", ["class": "n wide"], text: "\(candle.samples)")
                }
            }
        }
    }

    private static func decimals(_ price: String) -> Int {
        price.firstIndex(of: ".").map { price.distance(from: $0, to: price.endIndex) - 1 } ?? 0
    }
}
