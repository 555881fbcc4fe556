import Foundation
import Markets

/// A message that is not about a single alert.
package struct Note: Hashable, Sendable, Codable {
    package var kind: Kind
    /// At most 60 characters, so that a phone's lock screen shows all of it.
    package var title: String
    /// The text below the title, a line each.
    package var lines: [String]
    package var at: Date
    package var host: String
    /// The events of a gap; stored separately.
    package var events: [AlertEvent] = []

    private enum CodingKeys: String, CodingKey { case kind, title, lines, at, host }

    package enum Kind: String, Hashable, Sendable, Codable {
        /// Asked for by `notify-test`.
        case test
        /// The daily summary.
        case digest
        /// Reports a gap and the events in it.
        case gap
    }

    package init(
        kind: Kind, title: String, lines: [String] = [], at: Date, host: String, events: [AlertEvent] = []
    ) {
        self.kind = kind
        self.title = title
        self.lines = lines
        self.at = at
        self.host = host
        self.events = events
    }
}

/// A time without usable polls.
package struct Gap: Hashable, Sendable {
    /// From the last usable poll to the first after it.
    let time: Range<Date>
    /// The number of prices of the gap that are backfilled so far.
    let backfilled: Int
    /// The markets whose backfill is under way.
    let backfilling: [MarketID]

    /// Shorter gaps cause no message.
    private static let shortest = Duration.minutes(10)

    /// - Parameter last: The last usable poll.
    package init?(from last: Date, to now: Date, backfilled: Int = 0, backfilling: [MarketID] = []) {
        guard now.since(last) > Self.shortest else { return nil }
        time = last..<now
        self.backfilled = backfilled
        self.backfilling = backfilling
    }

    /// What is backfilled and what is being backfilled; the message does not wait for the provider.
    fileprivate var backfillLines: [String] {
        var lines: [String] = []
        if backfilled > 0 { lines.append("backfilled so far: \(backfilled) price\(backfilled == 1 ? "" : "s")") }
        if !backfilling.isEmpty {
            let names = backfilling.map(\.text).listed(upTo: 5)
            lines.append("being backfilled now: \(names); the log shows what the provider had")
        }
        return lines.isEmpty ? ["nothing of it can be backfilled"] : lines
    }
}

extension Note {
    package init(_ gap: Gap, changed events: [AlertEvent], at now: Date, host: String, in zone: Zone) {
        let time = gap.time
        var lines = ["from \(zone.text(from: time.lowerBound, to: time.upperBound))"]
        lines += gap.backfillLines
        lines.append(events.isEmpty ? "no alert changed" : "what changed meanwhile, as far as it is known:")
        self.init(
            kind: .gap, title: "Nothing was watched for \(time.upperBound.since(time.lowerBound).roundedText)",
            lines: lines, at: now, host: host, events: events)
    }

    package init(digest summary: DaySummary, at now: Date, host: String) {
        let counts = "\(summary.up) up, \(summary.down) down, \(summary.flat) flat, \(summary.unknown) unknown"
        var lines = ["\(summary.coverage) % of the time covered"]
        if !summary.gainers.isEmpty { lines.append("up most: \(summary.gainers.text)") }
        if !summary.losers.isEmpty { lines.append("down most: \(summary.losers.text)") }
        self.init(kind: .digest, title: "24h: \(counts)", lines: lines, at: now, host: host)
    }
}
