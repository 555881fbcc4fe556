import Engine
import Foundation
import Markets

/// Alert events and silences.
package struct AlertsPage {
    private let frame: PageFrame
    private let since: Duration
    private let events: [AlertEvent]

    /// Older events are counted, and not shown.
    private static let shown = 500
    private static let windows = [1, 7, 30, 90].map { Duration.hours($0 * 24) }

    /// `7 days`
    private static func words(_ length: Duration) -> String {
        let days = Int(length.inSeconds) / 86_400
        let isWhole = .hours(days * 24) == length
        return isWhole ? "\(days) day\(days == 1 ? "" : "s")" : length.unitsText
    }

    /// - Parameter events: Oldest first.
    package init(_ frame: PageFrame, since: Duration, events: [AlertEvent]) {
        self.frame = frame
        self.since = since
        self.events = events
    }

    package var bytes: [UInt8] {
        frame.page("Alerts", .alerts(since: since)) { html in
            html.element("h2", text: "Now")
            frame.alerts(&html)
            if (frame.status.firing + frame.status.pending).isEmpty {
                html.element("p", text: frame.exit == 3 ? "It is not known whether an alert fires." : "No alert fires.")
            }
            let silences = frame.status.silences.filter { $0.until > frame.now }
            if !silences.isEmpty {
                html.element("h2", text: "Silenced")
                html.element("ul") { html in
                    for silence in silences {
                        html.element("li") { $0.element("bdi", text: silence.words(in: frame.zone)) }
                    }
                }
            }
            html.element("h2", text: "Events of the last \(Self.words(since))")
            frame.choices("Show", Self.windows.map { (Self.words($0), .alerts(since: $0), $0 == since) }, &html)
            if events.isEmpty {
                html.element("p", text: "No events in this time.")
            } else {
                frame.events(events.suffix(Self.shown).reversed(), &html)
                if events.count > Self.shown { html.element("p", text: "and \(events.count - Self.shown) older ones") }
            }
        }
    }
}

extension PageFrame {
    /// A table of events, in the order given.
    func events(_ events: [AlertEvent], on page: MarketID? = nil, _ html: inout MarkupWriter) {
        let columns: [(String, String?)] = [("At", nil), ("Event", nil), ("Alert", nil), ("Price", "n")]
        html.table("Alert events", style: "events", columns) { html in
            for event in events {
                html.element("tr") { html in
                    rowTitle(event.at, &html)
                    let style = event.kind == .resolved ? "good" : event.kind == .pending ? "warn" : "bad"
                    html.element("td", ["class": style], text: event.kind.rawValue)
                    html.element("td", ["class": "subject"]) { subject(of: event, on: page, &$0) }
                    html.element("td", ["class": "n"]) { html in
                        html.write(event.price.map { "\($0.shortText) \(event.currency)" } ?? "–")
                    }
                }
            }
        }
    }

    /// `high: bitcoin above 60000 – sell the boat`
    ///
    /// - Parameters:
    ///   - page: The market that the page is about, and which is not named again.
    ///   - price: The newest one; nil: it is not shown.
    func subject(of event: AlertEvent, on page: MarketID?, price: String? = nil, _ html: inout MarkupWriter) {
        html.element("bdi", text: SafeText.printable(event.rule, atMost: 100))
        html.write(": ")
        if case .feedStale = event.condition {
            html.element("bdi", text: event.market.text)
            html.write(" ")
        } else if event.market != page {
            link(to: event.market, event.market.text, &html)
            html.write(" ")
        }
        html.write(event.condition.words + (price.map { ", now \($0)" } ?? ""))
        if let note = event.note {
            html.write(" – ")
            html.element("bdi", text: SafeText.printable(note, atMost: 200))
        }
    }
}

/// The newest alert events as an Atom feed (RFC 4287).
package struct AlertFeed {
    private let events: [AlertEvent]
    private let updated: Date
    private let page: PageURL?

    private static let shown = 100

    /// - Parameters:
    ///   - events: Oldest first.
    ///   - page: What it links to; nil: no link is known that a feed reader could follow.
    ///   - now: The time of a feed without events.
    package init(_ events: [AlertEvent], page: PageURL?, now: Date) {
        self.events = events.suffix(Self.shown).reversed()
        self.page = page
        updated = events.last?.at ?? now
    }

    package var bytes: [UInt8] {
        var xml = MarkupWriter(reserving: 32 << 10)
        xml.literal("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n")
        xml.element("feed", ["xmlns": "http://www.w3.org/2005/Atom"]) { xml in
            xml.element("id", text: "urn:pricewatch:alerts")
            xml.element("title", text: "pricewatch alerts")
            xml.element("updated", text: updated.utcText)
            xml.element("author") { $0.element("name", text: "pricewatch") }
            if let page {
                xml.empty("link", ["rel": "self", "href": page.feed])
                xml.empty("link", ["href": page.alerts])
            }
            for event in events {
                xml.literal("\n")
                xml.element("entry") { xml in
                    xml.element("id", text: "urn:pricewatch:event:\(event.id)")
                    xml.element("title", text: event.title)
                    xml.element("updated", text: event.at.utcText)
                    if let page { xml.empty("link", ["href": event.link(on: page)]) }
                    xml.element("content", ["type": "text"], text: event.details)
                }
            }
        }
        xml.literal("\n")
        return xml.bytes
    }
}

extension AlertEvent {
    /// `firing high: bitcoin above 60000`
    fileprivate var title: String {
        "\(kind.rawValue) \(SafeText.line(rule, atMost: 100)): \(SafeText.line(market.text)) \(condition)"
    }

    fileprivate var details: String {
        let price = price.map { "at \($0) \(currency)" }
        return [price, severity.rawValue, note.map { SafeText.line($0) }].compactMap { $0 }.joined(separator: ", ")
    }
}
