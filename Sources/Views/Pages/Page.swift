import Engine
import Foundation
import Markets

/// What is known at the moment of a request, and said on every page.
package struct PageFrame: Sendable {
    package var status: StatusReport
    /// The first line of `status`.
    package var sentence: String
    /// The exit code of `status`: 0 ok, 1 degraded, 2 failing or stopped, 3 nothing there to read.
    package var exit: Int32
    /// Why a part is missing, such as a history that this user may not read.
    package var notes: [String]
    package var now: Date
    /// In which times are shown.
    package var zone: Zone
    package var links: PageLinks

    package init(
        _ status: StatusReport, sentence: String, exit: Int32, notes: [String] = [], now: Date, zone: Zone,
        links: PageLinks
    ) {
        self.status = status
        self.sentence = sentence
        self.exit = exit
        self.notes = notes
        self.now = now
        self.zone = zone
        self.links = links
    }
}

// MARK: Layout

extension PageFrame {
    /// A whole page.
    ///
    /// - Parameters:
    ///   - title: Its heading; of the browser's title only after the state.
    ///   - route: Itself; nil: it is in place of another.
    func page(_ title: String, _ route: Route?, _ content: (inout MarkupWriter) -> Void) -> [UInt8] {
        var html = MarkupWriter(reserving: 64 << 10)
        html.literal("<!DOCTYPE html>\n")
        html.element("html", ["lang": "en"]) { html in
            html.element("head") { head(title, &$0) }
            html.literal("\n")
            html.element("body") { html in
                html.element("header") { header(route, &$0) }
                html.element("main") { html in
                    html.element("h1") { $0.element("bdi", text: title) }
                    state(&html)
                    content(&html)
                }
                html.element("footer") { html in
                    html.element("p", text: "pricewatch \(status.version)")
                }
            }
        }
        html.literal("\n")
        return html.bytes
    }

    /// A page in place of one that there is not.
    package func page(saying sentence: String) -> [UInt8] {
        page(sentence, nil) { html in
            html.element("p") { $0.element("a", ["href": links.path(.markets())], text: "All markets") }
        }
    }

    private func head(_ title: String, _ html: inout MarkupWriter) {
        html.empty("meta", ["charset": "utf-8"])
        html.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        html.empty("meta", ["name": "color-scheme", "content": "light dark"])
        html.element("title", text: browserTitle(title))
        html.empty("link", ["rel": "icon", "href": icon])
        html.empty("link", ["rel": "stylesheet", "href": links.path(.stylesheet)])
        html.empty(
            "link",
            ["rel": "alternate", "type": "application/atom+xml", "title": "Alerts", "href": links.path(.feed)])
    }

    /// `(2 firing) pricewatch`, `(stopped, 2 firing) Bitcoin – pricewatch`
    private func browserTitle(_ title: String) -> String {
        let state = exit == 0 ? [] : [String(sentence.prefix { $0 != ":" })]
        let firing = status.firing.isEmpty ? [] : ["\(status.firing.count) firing"]
        let marks = (state + firing).joined(separator: ", ")
        return (marks.isEmpty ? "" : "(\(marks)) ") + (title == Self.home ? "" : "\(title) – ") + "pricewatch"
    }

    static let home = "Markets"

    /// A shape for each state, so that not the colour alone carries it.
    private var icon: String {
        let shape =
            switch exit {
            case 2...: "%3Cpath fill='%23cf222e' d='M3 1l5 5 5-5 2 2-5 5 5 5-2 2-5-5-5 5-2-2 5-5-5-5z'/%3E"
            case _ where !status.firing.isEmpty: "%3Cpath fill='%23cf222e' d='M8 1l7 14H1z'/%3E"
            case 1: "%3Cpath fill='%23bf8700' d='M8 0l8 8-8 8-8-8z'/%3E"
            default: "%3Ccircle cx='8' cy='8' r='7' fill='%231a7f37'/%3E"
            }
        return "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\(shape)%3C/svg%3E"
    }

    private func header(_ route: Route?, _ html: inout MarkupWriter) {
        html.element("p", ["class": "asof"]) { html in
            html.write("as of ")
            time(now, to: .seconds, &html)
            if let expires = status.expiresAt {
                html.write(expires > now ? " · stale after " : " · stale since ")
                let isSameDay = zone.digits(now).prefix(10) == zone.digits(expires).prefix(10)
                time(expires, to: isSameDay ? .secondsOfDay : .seconds, &html)
            }
            if links.files == nil, let route {
                html.write(" · ")
                var other = links
                other.refresh = links.refresh == nil ? .seconds(60) : nil
                let words = links.refresh == nil ? "refresh every minute" : "refreshed every minute: stop"
                html.element("a", ["href": other.path(route)], text: words)
            }
        }
        html.element("nav", ["aria-label": "Pages"]) { html in
            for (words, target) in [(Self.home, Route.markets()), ("Alerts", .alerts()), ("Status", .status)] {
                let isHere =
                    route.map { $0.isPage && $0.file == target.file || words == Self.home && isMarkets($0) } ?? false
                html.element(
                    "a", ["href": links.path(target), "aria-current": isHere ? "page" : nil], text: words)
                html.write(" ")
            }
        }
    }

    private func isMarkets(_ route: Route) -> Bool {
        if case .markets = route { true } else { false }
    }

    private func state(_ html: inout MarkupWriter) {
        let (style, sign) = exit == 0 ? ("ok", "✓") : exit == 1 ? ("warn", "!") : ("bad", "✗")
        html.element("p", ["class": "state \(style)"]) { html in
            html.element("span", ["aria-hidden": "true"], text: sign + " ")
            // Its first word is the state, which the reader's eye finds first.
            let word = sentence.prefix { $0 != ":" }
            html.element("strong", text: String(word))
            html.write(String(sentence.dropFirst(word.count)))
        }
        for note in notes { html.element("p", ["class": "note"], text: note) }
    }
}

// MARK: Parts

extension PageFrame {
    /// A moment as its reader sees it, and for programs.
    func time(_ date: Date, to precision: Zone.Precision = .minutes, _ html: inout MarkupWriter) {
        html.element("time", ["datetime": date.utcText], text: zone.text(date, precision))
    }

    /// The moment that a row of a table is about. A phone has no room for the zone, which the top of the page names.
    func rowTitle(_ date: Date, _ html: inout MarkupWriter) {
        html.element("th", ["scope": "row"]) { html in
            html.element("time", ["datetime": date.utcText]) { html in
                let digits = zone.digits(date, .minutes)
                html.write(digits)
                html.element("span", ["class": "wide"], text: String(zone.text(date, .minutes).dropFirst(digits.count)))
            }
        }
    }

    /// A market's name, or its id where the name is blank.
    static func name(_ name: String, _ market: MarketID) -> String {
        name.contains { !$0.isWhitespace } ? name : market.text
    }

    func link(to market: MarketID, _ words: String, _ html: inout MarkupWriter) {
        html.element("a", ["href": links.path(.market(market))]) { $0.element("bdi", text: words) }
    }

    /// A list of links, of which one is where the reader is.
    func choices(_ label: String, _ choices: [(words: String, route: Route, isHere: Bool)], _ html: inout MarkupWriter)
    {
        guard choices.contains(where: { !$0.isHere && links.path($0.route) != nil }) else { return }
        html.element("p", ["class": "choices"]) { html in
            html.write(label + " ")
            for (words, route, isHere) in choices {
                guard let path = links.path(route) else { continue }
                html.element("a", ["href": path, "aria-current": isHere ? "true" : nil], text: words)
                html.write(" ")
            }
        }
    }

    /// A list of the alerts that fire or are pending; nothing if there is none.
    ///
    /// - Parameter market: The one that the page is about; nil: all.
    func alerts(on market: MarketID? = nil, _ html: inout MarkupWriter) {
        let alerts = (status.firing + status.pending).filter { market == nil || $0.market == market }
        guard !alerts.isEmpty else { return }
        html.element("ul", ["class": "alerts", "aria-label": "Alerts"]) { html in
            for alert in alerts {
                let isFiring = alert.kind != .pending
                html.element("li", ["class": isFiring ? "bad" : "warn"]) { html in
                    html.element("strong", text: isFiring ? "firing" : "pending")
                    html.write((alert.since.map { " for \(now.since($0).roundedText)" } ?? "") + " · ")
                    // A market's own page has its price above.
                    let entry = market == nil ? status.markets.first { $0.market == alert.market } : nil
                    let price = entry?.price.map { "\($0.shortText) \(alert.currency)" }
                    subject(of: alert, on: market, price: price, &html)
                }
            }
        }
    }

    /// The change with a sign that is no colour.
    static func change(_ change: Percent?) -> (text: String, style: String?) {
        guard let change else { return ("–", nil) }
        let (mark, style): (String, String?) =
            change > .zero ? ("▲ ", "up") : change < .zero ? ("▼ ", "down") : ("", nil)
        return ("\(mark)\(change.tableText) %", style)
    }
}

extension MarkupWriter {
    /// A table that scrolls by itself where it is wider than the screen; the keyboard can scroll it, too.
    mutating func table(
        _ caption: String, style: String? = nil, _ columns: [(title: String, style: String?)],
        _ rows: (inout MarkupWriter) -> Void
    ) {
        element("div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": caption]) { html in
            html.element("table", ["class": style]) { html in
                html.element("thead") { html in
                    html.element("tr") { html in
                        for (title, style) in columns {
                            html.element("th", ["scope": "col", "class": style], text: title)
                        }
                    }
                }
                html.element("tbody", [:], rows)
            }
        }
    }
}
