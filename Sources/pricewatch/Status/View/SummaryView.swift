import Engine
import Markets

/// Up from down, for people.
enum SummaryView {
    static func lines(_ summary: DaySummary, window: String) -> [String] {
        var lines = [
            "\(window): \(summary.up) up, \(summary.down) down, \(summary.flat) flat, \(summary.unknown) unknown; "
                + "\(summary.coverage) % of the time covered"
        ]
        if !summary.gainers.isEmpty { lines.append("  up most:   " + list(summary.gainers)) }
        if !summary.losers.isEmpty { lines.append("  down most: " + list(summary.losers)) }
        return lines
    }

    /// `solana +8.1 %, dogecoin +1.18 %`
    static func list(_ moves: [DaySummary.Move]) -> String {
        moves.map { "\(SafeText.printable($0.market.text)) \($0.change.signed) %" }.joined(separator: ", ")
    }
}

extension Percent {
    /// `+1.25`, `-5.2`, `0`
    var signed: String { self > .zero ? "+\(self)" : description }

    /// `+1.25`, `-5.20`, `0.00`: below each other, their points stand in one line.
    var signedToTheHundredth: String {
        let (whole, part) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = self > .zero ? "+" : self < .zero ? "-" : ""
        return "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
    }
}
