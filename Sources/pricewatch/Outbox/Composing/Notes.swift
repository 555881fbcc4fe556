import Foundation
import Markets

/// A time in which nothing was watched.
struct Gap: Hashable, Sendable {
    /// From the last usable poll to the first after it.
    var time: Range<Date>
    /// So many prices of it are known by now from the provider's own history.
    var healed: Int
    /// The provider is asked for what is missing, beside the polls.
    var isHealing: Bool

    /// Shorter ones are not worth a message.
    static let shortest = Duration.minutes(10)

    /// - Parameter last: The last usable poll.
    init?(from last: Date, to now: Date, healed: Int = 0, isHealing: Bool = false) {
        guard now.since(last) > Self.shortest else { return nil }
        time = last..<now
        self.healed = healed
        self.isHealing = isHealing
    }
}

extension Note {
    init(_ gap: Gap, changed events: [AlertEvent], at now: Date, host: String) {
        let time = gap.time
        var lines = ["from \(time.lowerBound.utcText) to \(time.upperBound.utcText)"]
        if gap.healed > 0 { lines.append("\(gap.healed) prices of it are known from the provider's history") }
        if gap.isHealing { lines.append("the provider is being asked for what is missing; the log tells what it had") }
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
