import Engine
import Foundation
import Markets

/// A message as text: a headline and the lines below it.
struct MessageText: Hashable, Sendable {
    /// At most 60 code points.
    var headline: String
    var lines: [String]
    /// A URL, which needs no escape anywhere.
    var link: String?

    init(_ message: Message) {
        link = message.link
        if let note = message.note {
            headline = SafeText.line(note.title, atMost: Headline.length)
            lines = (note.lines + message.events.map(Self.listed)).map(\.asOneLine)
            lines.append("pricewatch on \(note.host.asOneLine)")
        } else if let event = message.singleEvent {
            headline = Headline(event).text()
            lines = Self.details(of: event, in: message.zone)
        } else if let group = Headline(message.events) {
            headline = group.text()
            let first = message.events[0]
            lines = Self.note(of: first) + Self.list(message.events, in: message.zone) + [Self.origin(of: first)]
        } else {
            headline = Self.summary(of: message.events)
            lines = Self.list(message.events, in: message.zone)
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
    private static func list(_ events: [AlertEvent], in zone: Zone) -> [String] {
        let times = events.map(\.at)
        let isLong = (times.max() ?? .distantPast).since(times.min() ?? .distantPast) >= .minutes(1)
        return events.map { event in
            isLong ? "\(zone.text(event.at, .minutesOfDay)) \(listed(event))" : listed(event)
        }
    }

    /// The whole text, its link last, for a service that takes `limit` bytes of UTF-8; no service counts more for a
    /// scalar.
    ///
    /// - Parameter escape: What is sent in place of a scalar; nil: the scalar itself.
    func fitted(toBytes limit: Int, escaping escape: (Unicode.Scalar) -> String? = { _ in nil }) -> String {
        let headline = headline.replacingScalars(escape)
        let end = link.map { "\n" + $0 } ?? ""
        let room = limit - headline.utf8.count - 1 - end.utf8.count
        return headline + "\n" + fittedLines(toBytes: room, escaping: escape) + end
    }

    /// The lines below the headline; those that do not fit are left out and counted.
    func fittedLines(toBytes limit: Int, escaping escape: (Unicode.Scalar) -> String? = { _ in nil }) -> String {
        // A long name or note leaves room for the other lines.
        let lines = lines.map { $0.cut(toBytes: limit / 3).replacingScalars(escape) }
        let whole = lines.joined(separator: "\n")
        guard whole.utf8.count > limit else { return whole }
        var left = limit - "and \(lines.count) more".utf8.count
        let fitting = lines.prefix { line in
            left -= line.utf8.count + 1
            return left >= 0
        }
        return (fitting + ["and \(lines.count - fitting.count) more"]).joined(separator: "\n")
    }

    /// The lines below the headline of a single event.
    private static func details(of event: AlertEvent, in zone: Zone) -> [String] {
        var lines = note(of: event)
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
            lines.append("quoted \(zone.text(quoted))\(feed)")
        }
        if let since = event.since, event.kind == .reminder || event.kind == .resolved {
            lines.append("fired \(zone.text(since))")
        }
        lines.append(origin(of: event))
        return lines
    }

    /// The owner's note with its line breaks.
    private static func note(of event: AlertEvent) -> [String] {
        (event.note ?? "").unicodeScalars.split(whereSeparator: \.isLineBreak).map { String($0).asOneLine }
    }

    private static func origin(of event: AlertEvent) -> String {
        "rule \(event.rule.asOneLine) on \(event.host.asOneLine)"
    }

    private static func listed(_ event: AlertEvent) -> String { Headline(event).text(within: 80) }
}

extension [AlertEvent] {
    /// The most important event: ongoing before resolved, then by severity, then by the size of the move; the first of
    /// equals.
    fileprivate var worst: AlertEvent? {
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

extension String {
    /// On one line for people, and no longer than any message.
    var asOneLine: String { SafeText.line(self, atMost: 4096) }
}
