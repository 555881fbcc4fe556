import Engine
import Foundation
import Markets

/// A summary for people: how the watched markets moved over a window, in about ten lines.
struct MarketReport {
    /// As it was asked for: `24h`.
    var window: Window
    var at: Date
    var currency: Currency
    var summary: DaySummary
    /// Of the markets whose change is known.
    var changes: [Percent]
    /// The markets that are not fresh.
    var notFresh: [(market: String, state: String)]
    /// What the alerts did in this time.
    var events: [AlertEvent] = []
    /// What fires now.
    var firing: [AlertEvent] = []

    func lines(on terminal: Terminal) -> [String] {
        let all = summary.up + summary.down + summary.flat + summary.unknown
        var lines = [
            "\(window.text) to \(at.utcText.prefix(16).split(separator: "T").joined(separator: " ")) UTC: "
                + "\(all) market\(all == 1 ? "" : "s") in \(currency)"
        ]
        if all == 0 { return lines + ["  nothing was recorded yet; see why: pricewatch status"] }
        func add(_ label: String, _ phrases: [String], _ colour: Terminal.Colour? = nil) {
            guard !phrases.isEmpty else { return }
            let margin = "  " + label + String(repeating: " ", count: 10 - label.count)
            let indent = String(repeating: " ", count: margin.count)
            let width = max(20, terminal.width - margin.count)
            let wrapped = Paragraph.lines(phrases, width: width, between: ", ")
            for (index, line) in wrapped.enumerated() {
                let comma = index < wrapped.count - 1 ? "," : ""
                lines.append((index == 0 ? margin : indent) + terminal.paint(line + comma, colour))
            }
        }
        add(
            "moves",
            [
                "\(summary.up) up", "\(summary.down) down", "\(summary.flat) flat", "\(summary.unknown) unknown",
            ])
        add("breadth", breadth)
        add("median", median.map { ["\($0.signed) %"] } ?? [])
        add("gainers", moves(summary.gainers), .green)
        add("losers", moves(summary.losers), .red)
        add("coverage", ["\(summary.coverage) % of this time was watched"])
        for state in ["stale", "missing"] { add(state, named(state), .yellow) }
        add("unknown", named("unknown") + unexplained, .yellow)
        add("alerts", alerts)
        add("firing", standing, .red)
        return lines
    }

    private var breadth: [String] {
        let known = summary.up + summary.down + summary.flat
        guard known > 0 else { return [] }
        return ["\(summary.up) of \(known) rose (\((summary.up * 100 + known / 2) / known) %)"]
    }

    /// The change that half of the markets beat.
    var median: Percent? {
        guard !changes.isEmpty else { return nil }
        let sorted = changes.sorted()
        let (low, high) = (sorted[(sorted.count - 1) / 2].hundredths, sorted[sorted.count / 2].hundredths)
        // Half away from zero, as every other percentage.
        let sum = low + high
        return Percent(hundredths: (sum + sum.signum()) / 2)
    }

    private func moves(_ moves: [DaySummary.Move]) -> [String] {
        moves.map { "\(SafeText.printable($0.market.text)) \($0.change.signed) %" }
    }

    private static let listed = 8

    private func named(_ state: String) -> [String] {
        let names = notFresh.filter { $0.state == state }.map(\.market)
        let more = names.count > Self.listed ? ["and \(names.count - Self.listed) more"] : []
        return names.prefix(Self.listed).map { SafeText.printable($0, atMost: 40) } + more
    }

    /// Fresh markets, too, have no change where nothing is known of the window's beginning.
    private var unexplained: [String] {
        let count = summary.unknown - notFresh.count
        return count > 0 ? ["\(count) without a price \(window.text) ago"] : []
    }

    private var alerts: [String] {
        let fired = events.count { $0.kind == .firing }
        let resolved = events.count { $0.kind == .resolved }
        return ["\(fired) fired", "\(resolved) resolved", "\(firing.count) firing now"]
    }

    private var standing: [String] {
        let names = firing.map { "\(SafeText.printable($0.rule, atMost: 40)) on \(SafeText.printable($0.market.text))" }
        return names.count > Self.listed ? names.prefix(Self.listed) + ["and \(names.count - Self.listed) more"] : names
    }
}
