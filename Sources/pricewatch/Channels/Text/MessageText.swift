import Engine
import Foundation
import Markets

/// A message in words: a line that stands alone, and what follows it.
struct MessageText: Hashable, Sendable {
    /// At most 60 characters.
    var headline: String
    var lines: [String]
    /// Whether each line stands for itself, so that whole ones may be left out.
    var isList: Bool

    init(_ message: Message) {
        switch message.content {
        case .note(let note):
            headline = note.title.asOneLine.shortened(to: .codePoints(Headline.length))
            lines = note.lines.map(\.asOneLine) + ["pricewatch on \(note.host.asOneLine)"]
            isList = true
        case .events(let events):
            if events.count == 1 {
                headline = Headline(events[0]).text()
                lines = EventDetails.lines(events[0])
                isList = false
            } else {
                headline = Self.summary(of: events)
                lines = Self.list(events)
                isList = true
            }
        }
    }

    /// How many, and the worst.
    private static func summary(of events: [AlertEvent]) -> String {
        guard let worst = events.worst else { return "no alert" }
        let isOver = events.allSatisfy { $0.kind == .resolved }
        let count = isOver ? "\(events.count) alerts resolved: " : "\(events.count) alerts, worst: "
        return count + Headline(worst).text(within: Headline.length - count.unicodeScalars.count)
    }

    /// In the order in which they happened, with the time where that was not at once.
    private static func list(_ events: [AlertEvent]) -> [String] {
        let times = events.map(\.at)
        let isLong = (times.max() ?? .distantPast).since(times.min() ?? .distantPast) >= .minutes(1)
        return events.map { event in
            let line = Headline(event).text(within: 80)
            return isLong ? "\(event.at.utcText.dropFirst(11).prefix(5))Z \(line)" : line
        }
    }

    /// Everything, or as much as the service takes.
    func fitted(to limit: TextLimit) -> String {
        ([headline] + fittedLines(to: limit, after: headline)).joined(separator: "\n")
    }

    /// What follows the headline, or as much of it as the service takes after `beginning`; nil: it stands elsewhere.
    func fittedLines(to limit: TextLimit, after beginning: String?) -> [String] {
        let room = limit.units - (beginning.map { limit.cost(of: $0) + limit.cost("\n") } ?? 0)
        return isList ? listed(within: room, limit) : squeezed(into: room, limit)
    }

    /// The first lines that fit, and how many more there are.
    private func listed(within room: Int, _ limit: TextLimit) -> [String] {
        func more(_ count: Int) -> String { "and \(count) more" }
        let costs = lines.map { limit.cost(of: $0) + limit.cost("\n") }
        guard costs.reduce(0, +) - limit.cost("\n") > room else { return lines }
        var left = room - limit.cost(of: more(lines.count))
        let fitting = costs.prefix { cost in
            left -= cost
            return left >= 0
        }
        return lines.prefix(fitting.count) + [more(lines.count - fitting.count)]
    }

    /// The longest lines give way until all of them fit; where all are short, the last ones go.
    private func squeezed(into room: Int, _ limit: TextLimit) -> [String] {
        let short = 40
        let lineBreak = limit.cost("\n")
        var lines = lines.map { $0.shortened(to: TextLimit(units: max(0, room), cost: limit.cost)) }
        var costs = lines.map { limit.cost(of: $0) + lineBreak }
        var excess = costs.reduce(-lineBreak, +) - room
        while excess > 0, let longest = costs.indices.max(by: { costs[$0] < costs[$1] }), costs[longest] > short {
            let units = max(costs[longest] - lineBreak - excess, short - lineBreak)
            lines[longest] = lines[longest].shortened(to: TextLimit(units: units, cost: limit.cost))
            excess -= costs[longest]
            costs[longest] = limit.cost(of: lines[longest]) + lineBreak
            excess += costs[longest]
        }
        while excess > 0, let last = costs.popLast() {
            lines.removeLast()
            excess -= last
        }
        return lines
    }
}

extension [AlertEvent] {
    /// Of the most severe.
    fileprivate var severity: AlertRule.Severity {
        AlertRule.Severity.allCases.last { severity in contains { $0.severity == severity } } ?? .info
    }

    /// The one that matters most: what goes on before what is over, then by severity, then by the size of the move;
    /// of equals the first.
    var worst: AlertEvent? {
        func rank(_ event: AlertEvent) -> (Int, Int, Int64) {
            let severity = AlertRule.Severity.allCases.firstIndex(of: event.severity) ?? 0
            let change = event.changePercent?.hundredths.magnitude ?? 0
            return (event.kind == .resolved ? 0 : 1, severity, Int64(clamping: change))
        }
        return dropFirst().reduce(first) { best, event in
            guard let best else { return event }
            return rank(event) > rank(best) ? event : best
        }
    }
}

extension Message {
    /// How urgent it is: that of its most severe event; a note is information, a gap at least a warning.
    var severity: AlertRule.Severity {
        switch content {
        case .events(let events): events.severity
        case .note(let note): note.kind == .gap && note.events.severity == .info ? .warning : note.events.severity
        }
    }
}
