import Engine
import Foundation
import Markets
import Views

/// A summary for people: how the watched markets moved over a window, in about ten lines.
struct MarketReport {
    /// The window as given: `24h`.
    var window: Window
    var at: Date
    var currency: Currency
    var summary: DaySummary
    /// The changes that are known.
    var changes: [Percent]
    /// The markets that are not fresh.
    var notFresh: [(market: String, state: String)]
    /// Alert events in the window.
    var events: [AlertEvent] = []
    /// The alerts that fire now.
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
        add("firing", firingLines, .red)
        return lines
    }

    private var breadth: [String] {
        let known = summary.up + summary.down + summary.flat
        guard known > 0 else { return [] }
        return ["\(summary.up) of \(known) rose (\((summary.up * 100 + known / 2) / known) %)"]
    }

    /// The median change.
    var median: Percent? {
        guard !changes.isEmpty else { return nil }
        let sorted = changes.sorted()
        let (low, high) = (sorted[(sorted.count - 1) / 2].hundredths, sorted[sorted.count / 2].hundredths)
        // Rounds half away from zero, as all percentages do.
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

    /// A fresh market also has no change if no price is known at the start of the window.
    private var unexplained: [String] {
        let count = summary.unknown - notFresh.count
        return count > 0 ? ["\(count) without a price \(window.text) ago"] : []
    }

    private var alerts: [String] {
        let fired = events.count { $0.kind == .firing }
        let resolved = events.count { $0.kind == .resolved }
        return ["\(fired) fired", "\(resolved) resolved", "\(firing.count) firing now"]
    }

    private var firingLines: [String] {
        let names = firing.map { "\(SafeText.printable($0.rule, atMost: 40)) on \(SafeText.printable($0.market.text))" }
        return names.count > Self.listed ? names.prefix(Self.listed) + ["and \(names.count - Self.listed) more"] : names
    }
}

/// Colours rises and falls, for people.
enum SummaryView {
    static func lines(_ summary: DaySummary, window: String) -> [String] {
        var lines = [
            "\(window): \(summary.up) up, \(summary.down) down, \(summary.flat) flat, \(summary.unknown) unknown; "
                + "\(summary.coverage) % of the time covered"
        ]
        if !summary.gainers.isEmpty { lines.append("  up most:   " + summary.gainers.text) }
        if !summary.losers.isEmpty { lines.append("  down most: " + summary.losers.text) }
        return lines
    }

}

extension Percent {
    /// `+1.25`, `-5.20`, `0.00`: with equal decimals, so that the points align.
    var signedToTheHundredth: String {
        let (whole, part) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = self > .zero ? "+" : self < .zero ? "-" : ""
        return "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
    }
}

/// A duration as given on the command line.
struct Window: Sendable {
    var text: String
    var length: Duration
}
