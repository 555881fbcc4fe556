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
            case .inactive, nil: "quiet"
            }
        }
    }

    package var frame: PageFrame
    package var window: ChartWindow
    package var chart: Chart
    /// Those of the table, oldest first.
    package var candles: [Candle]
    package var rules: [Rule]

    package init(_ frame: PageFrame, _ window: ChartWindow, _ chart: Chart, candles: [Candle], rules: [Rule]) {
        self.frame = frame
        self.window = window
        self.chart = chart
        self.candles = candles
        self.rules = rules
    }

    private var market: StatusReport.Market? { frame.status.markets.first { $0.market == chart.market } }

    package var bytes: [UInt8] {
        let name = chart.name.isEmpty ? chart.market.text : chart.name
        return frame.page(name, .market(chart.market, window)) { html in
            html.element("p", ["class": "price-now"]) { price(&$0) }
            frame.choices(
                "Chart of", ChartWindow.allCases.map { ($0.rawValue, .market(chart.market, $0), $0 == window) }, &html)
            html.element("p", text: chart.facts.joined(separator: " · "))
            html.element("figure", ["class": "chart"]) { html in
                let drawing = SVGChart(chart)
                html.append(drawing.inline)
                html.element("figcaption") { $0.append(drawing.caption) }
            }
            files(&html)
            rules(&html)
            if !chart.events.isEmpty {
                html.element("h2", text: "Alerts in this time")
                frame.events(chart.events.reversed(), withMarket: false, &html)
            }
            if !candles.isEmpty {
                html.element("h2", text: "Prices in this time")
                table(&html)
            }
        }
    }

    private func price(_ html: inout MarkupWriter) {
        guard let market else { return html.write("This market is no longer watched.") }
        let price = market.price.map { "\($0.shortText) \(market.currency)" } ?? "no price"
        html.element("strong", text: price)
        html.write(" ")
        let (change, style) = PageFrame.change(market.change)
        html.element("span", ["class": style], text: change)
        let reason = market.reason.map { " (\($0.rawValue))" } ?? ""
        let age = market.quotedAt.map { ", quoted \(frame.now.since($0).roundedText) ago" } ?? ""
        let feed = market.feed.map { " from \($0)" } ?? ""
        html.write(" in 24 h, \(market.state.rawValue)\(reason)\(age)\(feed); symbol ")
        html.element("bdi", text: SafeText.printable(market.symbol.uppercased(), atMost: 50))
        html.write(", id ")
        html.element("code") { $0.element("bdi", text: chart.market.text) }
    }

    private func files(_ html: inout MarkupWriter) {
        let files = [("CSV", Route.records(chart.market, window)), ("SVG", .picture(chart.market, window))]
        frame.choices("Save as", files.map { ($0.0, $0.1, false) }, &html)
    }

    private func rules(_ html: inout MarkupWriter) {
        guard !rules.isEmpty else { return }
        html.element("h2", text: "Rules")
        html.table("Rules", [("Rule", nil), ("Condition", nil), ("State", nil), ("Silenced until", nil)]) { html in
            for rule in rules {
                html.element("tr") { html in
                    html.element("th", ["scope": "row"]) { html in
                        html.element("bdi", text: SafeText.printable(rule.name, atMost: 100))
                    }
                    html.element("td", text: rule.condition.description)
                    let isFiring = rule.state?.isFiring ?? false
                    html.element("td", ["class": isFiring ? "bad" : nil], text: rule.words(now: frame.now))
                    html.element("td") { html in
                        let key = AlertKey(rule: rule.name, market: chart.market)
                        guard let end = frame.status.silences.end(for: key, at: frame.now) else {
                            return html.write("–")
                        }
                        frame.time(end, &html)
                    }
                }
            }
        }
    }

    private func table(_ html: inout MarkupWriter) {
        let columns: [(String, String?)] = [
            ("From", nil), ("Open", "n"), ("High", "n"), ("Low", "n"), ("Close", "n"), ("Samples", "n"),
        ]
        html.table("Prices in \(chart.currency), one row in \(window.candle.roundedText)", columns) { html in
            for candle in candles.reversed() {
                html.element("tr") { html in
                    html.element("th", ["scope": "row"]) { frame.time(candle.start, &$0) }
                    for price in [candle.open, candle.high, candle.low, candle.close] {
                        html.element("td", ["class": "n"], text: price.shortText)
                    }
                    html.element("td", ["class": "n"], text: "\(candle.samples)")
                }
            }
        }
    }
}
