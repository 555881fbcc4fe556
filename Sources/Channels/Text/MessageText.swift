import Engine
import Foundation
import Markets

/// A message as text: a headline and the lines below it.
struct MessageText: Hashable, Sendable {
    /// At most 60 code points.
    var headline: String
    var lines: [String]
    /// True if the lines are independent, so that whole lines may be dropped.
    var isList: Bool

    init(_ message: Message) {
        switch message.content {
        case .note(let note):
            headline = note.title.asOneLine.shortened(to: .codePoints(Headline.length))
            lines = note.shownLines.map(\.asOneLine) + ["pricewatch on \(note.host.asOneLine)"]
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

    /// The number of events, and the worst.
    private static func summary(of events: [AlertEvent]) -> String {
        guard let worst = events.worst else { return "no alert" }
        let isOver = events.allSatisfy { $0.kind == .resolved }
        let count = isOver ? "\(events.count) alerts resolved: " : "\(events.count) alerts, worst: "
        return count + Headline(worst).text(within: Headline.length - count.unicodeScalars.count)
    }

    /// In the order in which they happened, with times if they span a minute or more.
    private static func list(_ events: [AlertEvent]) -> [String] {
        let times = events.map(\.at)
        let isLong = (times.max() ?? .distantPast).since(times.min() ?? .distantPast) >= .minutes(1)
        return events.map { event in
            let line = Headline(event).text(within: 80)
            return isLong ? "\(event.at.utcText.dropFirst(11).prefix(5))Z \(line)" : line
        }
    }

    /// The whole text, shortened to what the service takes.
    func fitted(to limit: TextLimit) -> String {
        ([headline] + fittedLines(to: limit, after: headline)).joined(separator: "\n")
    }

    /// The lines below the headline, shortened to what the service takes after `beginning`; nil if the headline is sent
    /// separately.
    func fittedLines(to limit: TextLimit, after beginning: String?) -> [String] {
        let room = limit.units - (beginning.map { limit.cost(of: $0) + limit.cost("\n") } ?? 0)
        return isList ? listed(within: room, limit) : squeezed(into: room, limit)
    }

    /// The first lines that fit, and the number of lines left out.
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

    /// Shortens the longest lines until all fit; once all are short, drops the last ones.
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
    /// The highest severity.
    fileprivate var severity: AlertRule.Severity {
        AlertRule.Severity.allCases.last { severity in contains { $0.severity == severity } } ?? .info
    }

    /// The most important event: ongoing before resolved, then by severity, then by the size of the move; the first of
    /// equals.
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
    /// The severity of the most severe event; a note is `info`, a gap at least a warning.
    var severity: AlertRule.Severity {
        switch content {
        case .events(let events): events.severity
        case .note(let note): note.kind == .gap && note.events.severity == .info ? .warning : note.events.severity
        }
    }
}

extension Note {
    /// The lines, with one for each event.
    var shownLines: [String] { lines + events.map { Headline($0).text(within: 80) } }
}

/// The lines below the headline of a single event.
enum EventDetails {
    static func lines(_ event: AlertEvent) -> [String] {
        var lines: [String] = []
        if let note = event.note, !note.isEmpty {
            // The owner's note keeps its line breaks.
            lines += note.unicodeScalars.split(whereSeparator: \.isLineBreak).map { String($0).asOneLine }
        }
        let name = event.name.asOneLine
        let market = name.isEmpty ? event.market.text : "\(name) (\(event.market.text))"
        lines.append("\(market): \(event.condition), \(event.severity.rawValue)")
        if let threshold = event.threshold, event.condition.window != nil {
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
