import Engine
import Foundation
import History
import Markets
import Views

/// A summary for people: how the watched markets moved over a window, in about ten lines.
struct MarketReport {
    var window: Window
    var at: Date
    var currency: Currency
    var zone: Zone
    /// Its changes are those over the window.
    var status: StatusReport
    /// Alert events in the window.
    var events: [AlertEvent] = []

    var summary: DaySummary { status.summary }

    func lines(on terminal: Terminal) -> [String] {
        let known = summary.up + summary.down + summary.flat
        let all = known + summary.unknown
        var lines = [
            "\(window.text) to \(zone.text(at, .minutes)): "
                + "\(all) market\(all == 1 ? "" : "s") in \(currency)"
        ]
        if all == 0 { return lines + ["  nothing was recorded yet; see why: pricewatch status"] }
        func add(_ label: String, _ phrases: [String], _ colour: Terminal.Colour? = nil) {
            let margin = "  " + label.padding(toLength: 10, withPad: " ", startingAt: 0)
            let wrapped = Paragraph.lines(phrases, width: terminal.width - margin.count, between: ", ")
            for (index, line) in wrapped.enumerated() {
                let comma = index < wrapped.count - 1 ? "," : ""
                let indent = index == 0 ? margin : String(repeating: " ", count: margin.count)
                lines.append(indent + terminal.paint(line + comma, colour))
            }
        }
        add(
            "moves",
            ["\(summary.up) up", "\(summary.down) down", "\(summary.flat) flat", "\(summary.unknown) unknown"])
        if known > 0 {
            add("breadth", ["\(summary.up) of \(known) rose (\((summary.up * 100 + known / 2) / known) %)"])
        }
        if let median { add("median", ["\(median.signed) %"]) }
        add("gainers", moves(summary.gainers), .green)
        add("losers", moves(summary.losers), .red)
        add("coverage", ["\(summary.coverage) % of this time was watched"])
        add("stale", named(.stale), .yellow)
        add("missing", named(.missing), .yellow)
        add("unknown", named(.unknown) + unexplained, .yellow)
        let (fired, resolved) = (events.count { $0.kind == .firing }, events.count { $0.kind == .resolved })
        add("alerts", ["\(fired) fired", "\(resolved) resolved", "\(status.firing.count) firing now"])
        let firing = status.firing.map {
            "\(SafeText.printable($0.rule, atMost: 40)) on \(SafeText.printable($0.market.text))"
        }
        add("firing", firing.shortened, .red)
        return lines
    }

    /// The median of the known changes.
    var median: Percent? {
        let sorted = status.markets.compactMap(\.change).sorted()
        guard !sorted.isEmpty else { return nil }
        // Rounds half away from zero, as all percentages do.
        let sum = sorted[(sorted.count - 1) / 2].hundredths + sorted[sorted.count / 2].hundredths
        return Percent(hundredths: (sum + sum.signum()) / 2)
    }

    private func moves(_ moves: [DaySummary.Move]) -> [String] {
        moves.map { "\(SafeText.printable($0.market.text)) \($0.change.signed) %" }
    }

    private func named(_ state: MarketBoard.Entry.State) -> [String] {
        let names = status.markets.filter { $0.state == state }.map(\.market.text)
        return names.map { SafeText.printable($0, atMost: 40) }.shortened
    }

    /// A fresh market also has no change if no price is known at the start of the window.
    private var unexplained: [String] {
        let count = summary.unknown - status.markets.count { $0.state != .fresh }
        return count > 0 ? ["\(count) without a price \(window.text) ago"] : []
    }

}

extension [String] {
    /// The first eight, and how many more there are.
    var shortened: [String] { count > 8 ? prefix(8) + ["and \(count - 8) more"] : self }
}

extension MarketReport {
    /// A report over any window, from the history alone.
    init(recordedIn reader: HistoryReader, _ configuration: Configuration, window: Window, now: Date)
        throws(HistoryError)
    {
        let settings = Settings(configuration, host: "")
        self.init(
            window: window, at: now, currency: settings.currency, zone: settings.zone,
            status: try StatusReport(remembering: reader, settings, window: window.length, now: now),
            events: try reader.events(since: now - window.length))
    }
}

/// A duration as given on the command line.
struct Window: Sendable {
    var text: String
    var length: Duration
}
