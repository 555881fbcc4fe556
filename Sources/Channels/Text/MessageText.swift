import Engine
import Foundation
import Markets

/// A message as text: a headline and the lines below it.
struct MessageText: Hashable, Sendable {
    /// At most 60 code points.
    var headline: String
    var lines: [String]

    init(_ message: Message) {
        switch message.content {
        case .note(let note):
            headline = note.title.asOneLine.shortened(to: .codePoints(Headline.length))
            lines =
                (note.lines + note.events.map(Self.listed)).map(\.asOneLine) + ["pricewatch on \(note.host.asOneLine)"]
        case .events(let events):
            if events.count == 1 {
                headline = Headline(events[0]).text()
                lines = EventDetails.lines(events[0])
            } else {
                headline = Self.summary(of: events)
                lines = Self.list(events)
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
            isLong ? "\(event.at.utcText.dropFirst(11).prefix(5))Z \(listed(event))" : listed(event)
        }
    }

    /// The whole text, shortened to what the service takes.
    func fitted(to limit: TextLimit) -> String {
        ([headline] + fittedLines(to: limit, after: headline)).joined(separator: "\n")
    }

    /// The lines below the headline that the service takes after `beginning`, and the number of lines left out; nil if
    /// the headline is sent separately.
    func fittedLines(to limit: TextLimit, after beginning: String?) -> [String] {
        func more(_ count: Int) -> String { "and \(count) more" }
        let lineBreak = limit.cost(of: "\n")
        let room = limit.units - (beginning.map { limit.cost(of: $0) + lineBreak } ?? 0)
        // A long name or note leaves room for the other lines.
        let lines = lines.map { $0.shortened(to: TextLimit(units: room / 3, cost: limit.cost)) }
        let costs = lines.map { limit.cost(of: $0) + lineBreak }
        guard costs.reduce(-lineBreak, +) > room else { return lines }
        var left = room - limit.cost(of: more(lines.count))
        let fitting = costs.prefix { cost in
            left -= cost
            return left >= 0
        }
        return lines.prefix(fitting.count) + [more(lines.count - fitting.count)]
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

/// How a service counts the length of a text.
struct TextLimit: Sendable {
    var units: Int
    /// The units that one scalar takes.
    var cost: @Sendable (Unicode.Scalar) -> Int

    /// UTF-16 units: no service counts more for a scalar.
    ///
    /// - Parameter escape: The replacement that is sent for a scalar; nil: the scalar itself.
    static func utf16(
        _ units: Int, escaping escape: @escaping @Sendable (Unicode.Scalar) -> String? = { _ in nil }
    ) -> TextLimit {
        TextLimit(units: units) { escape($0)?.utf16.count ?? UTF16.width($0) }
    }

    /// Code points, as `len` counts them in most scripts.
    static func codePoints(_ count: Int) -> TextLimit { TextLimit(units: count) { _ in 1 } }

    func cost(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + cost($1) } }
}

extension String {
    /// The whole text if it fits, else its beginning and an ellipsis.
    func shortened(to limit: TextLimit) -> String {
        var total = 0
        // Where to cut if the text does not fit.
        var cut = startIndex
        let room = limit.units - limit.cost("…")
        var previous: Unicode.Scalar?
        for (index, scalar) in zip(unicodeScalars.indices, unicodeScalars) {
            if total <= room, !scalar.isJoined(to: previous) { cut = index }
            total += limit.cost(scalar)
            // Stop early in a very long text.
            if total > limit.units { return room < 0 ? "" : self[..<cut] + "…" }
            previous = scalar
        }
        return self
    }

    /// One line for people: line breaks and tabs become spaces, unprintable characters are escaped.
    var asOneLine: String {
        let parts = unicodeScalars.split { $0.isLineBreak || $0 == "\t" }
        return SafeText.printable(parts.map { String($0) }.joined(separator: " "))
    }
}

extension Unicode.Scalar {
    /// True if both are part of one visible character: an accent, or part of a composed emoji.
    fileprivate func isJoined(to previous: Unicode.Scalar?) -> Bool {
        properties.isGraphemeExtend || properties.isEmojiModifier || self == "\u{200D}" || previous == "\u{200D}"
    }
}
