import Engine
import Foundation
import Markets

/// A time in which nothing was watched.
struct Gap: Hashable, Sendable {
    /// From the last usable poll to the first after it.
    var time: Range<Date>
    /// So many prices of it are known by now from the provider's own history.
    var healed: Int
    /// The markets of which the provider is now asked for what is missing, beside the polls.
    var healing: [MarketID]

    /// Shorter ones are not worth a message.
    static let shortest = Duration.minutes(10)

    /// - Parameter last: The last usable poll.
    init?(from last: Date, to now: Date, healed: Int = 0, healing: [MarketID] = []) {
        guard now.since(last) > Self.shortest else { return nil }
        time = last..<now
        self.healed = healed
        self.healing = healing
    }
}

extension Gap {
    /// So many markets are named.
    private static let mostNamed = 5

    /// What is healed of it, and what is about to be: the message is not kept back until the provider has answered.
    fileprivate var healingLines: [String] {
        var lines: [String] = []
        if healed > 0 { lines.append("healed so far: \(healed) price\(healed == 1 ? "" : "s")") }
        if !healing.isEmpty {
            let names = healing.prefix(Self.mostNamed).map(\.text).joined(separator: ", ")
            let more = healing.count > Self.mostNamed ? " and \(healing.count - Self.mostNamed) more" : ""
            lines.append("being healed now: \(names)\(more); the log tells what the provider had")
        }
        return lines.isEmpty ? ["nothing of it can be healed"] : lines
    }
}

extension Note {
    init(_ gap: Gap, changed events: [AlertEvent], at now: Date, host: String) {
        let time = gap.time
        var lines = ["from \(time.lowerBound.utcText) to \(time.upperBound.utcText)"]
        lines += gap.healingLines
        lines.append(events.isEmpty ? "no alert changed" : "what changed meanwhile, as far as it is known:")
        lines += events.map { Headline($0).text(within: 80) }
        self.init(
            kind: .gap, title: "Nothing was watched for \(time.upperBound.since(time.lowerBound).roundedText)",
            lines: lines, at: now, host: host, events: events)
    }

    init(digest summary: DaySummary, at now: Date, host: String) {
        let counts = "\(summary.up) up, \(summary.down) down, \(summary.flat) flat, \(summary.unknown) unknown"
        var lines = ["\(summary.coverage) % of the time covered"]
        if !summary.gainers.isEmpty { lines.append("up most: \(SummaryView.list(summary.gainers))") }
        if !summary.losers.isEmpty { lines.append("down most: \(SummaryView.list(summary.losers))") }
        self.init(kind: .digest, title: "24h: \(counts)", lines: lines, at: now, host: host)
    }

    /// As the outbox keeps it.
    var encoded: Data? { try? JSONEncoder().encode(self) }

    init?(encoded: Data, events: [AlertEvent]) {
        guard let note = try? JSONDecoder().decode(Note.self, from: encoded) else { return nil }
        self = note
        self.events = events
    }
}
