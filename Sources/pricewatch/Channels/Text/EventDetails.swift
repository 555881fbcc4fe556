import Engine
import Foundation
import Markets

/// What follows the headline of a single event, a line each.
enum EventDetails {
    static func lines(_ event: AlertEvent) -> [String] {
        var lines: [String] = []
        if let note = event.note, !note.isEmpty {
            // The owner's own words keep their lines.
            lines += note.unicodeScalars.split(whereSeparator: \.isLineBreak).map { String($0).asOneLine }
        }
        let name = event.name.asOneLine
        let market = name.isEmpty ? event.market.text : "\(name) (\(event.market.text))"
        lines.append("\(market): \(event.condition.asOneLine), \(event.severity.rawValue)")
        let condition = AlertRule.Condition(reading: event.condition)
        if let threshold = event.threshold, condition?.window != nil {
            lines.append("threshold \(PriceText.text(threshold)) \(event.currency)")
        }
        if event.reason == .silenceEnded { lines.append("its silence has ended") }
        if let late = event.lateSeconds, late > 0 {
            lines.append("up to \(Duration.seconds(late).ageText) late: nothing was watched meanwhile")
        }
        if let quoted = event.quotedAt {
            let feed = event.feed.map { " by \($0.asOneLine)" } ?? ""
            lines.append("quoted \(quoted.utcText)\(feed)")
        }
        if let since = event.since, event.kind == .reminder || event.kind == .resolved {
            lines.append("fired \(since.utcText)")
        }
        lines.append("rule \(event.rule.asOneLine) on \(event.host.asOneLine)")
        return lines
    }
}
