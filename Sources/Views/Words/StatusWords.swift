import Engine
import Foundation
import Markets

// What a status says in words, the same in the terminal and on the pages.

extension StatusReport.Feed {
    /// `serving, 412 requests this month of 10000`
    package func words(in zone: Zone) -> String {
        var text = state.rawValue
        if let next = nextTryAt { text += ", asked again at \(zone.text(next))" }
        text += ", \(requestsThisMonth) request\(requestsThisMonth == 1 ? "" : "s") this month"
        if let quota { text += " of \(quota)" }
        if let end = quotaEndsAt { text += ", used up by \(zone.text(end))" }
        return text
    }
}

extension StatusReport {
    /// `2 messages wait, the oldest for 5 min`
    package var outboxWords: String {
        let queued = outbox.queued
        let oldest = outbox.oldest.map { ", the oldest for \(writtenAt.since($0).roundedText)" } ?? ""
        return "\(queued) message\(queued == 1 ? " waits" : "s wait")\(oldest)"
    }

    /// `4323 samples, 456 KiB, since 2026-11-20 11:21:21 CET`
    package func historyWords(in zone: Zone) -> String {
        let since = history.oldestAt.map { ", since \(zone.text($0))" } ?? ""
        return "\(history.samples) samples, \(Bytes.text(history.bytes))\(since)"
    }
}

extension DaySummary {
    /// `140 up, 108 down, 0 flat, 2 unknown`
    package var countsWords: String { "\(up) up, \(down) down, \(flat) flat, \(unknown) unknown" }
}

extension AlertEvent {
    /// `above 60000 for 5 min – note`, safe to print; a long note is cut.
    package func words(now: Date) -> String {
        let since = since.map { " for \(now.since($0).roundedText)" } ?? ""
        let note = note.map { " – \(SafeText.printable($0, atMost: 80))" } ?? ""
        return SafeText.printable("\(condition)\(since)") + note
    }
}

extension Silence {
    /// `high on bitcoin until 2026-11-21 11:00:00 CET`
    package func words(in zone: Zone) -> String {
        let rule = rule.map { SafeText.printable($0) } ?? "all rules"
        let market = market.map { " on \(SafeText.printable($0.text))" } ?? ""
        return "\(rule)\(market) until \(zone.text(until))"
    }
}

extension Percent {
    /// For the columns of tables: always a sign and two decimals, `+1.25`, `-0.98`, `+0.00`.
    package var tableText: String {
        let (whole, part) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        return "\(hundredths < 0 ? "-" : "+")\(whole).\(part < 10 ? "0" : "")\(part)"
    }
}

package enum Bytes {
    /// `12 KiB`, `1.5 MiB`
    package static func text(_ count: Int64) -> String {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        for (size, name) in units where count >= size {
            let tenths = count * 10 / Int64(size)
            return tenths >= 100 || tenths % 10 == 0
                ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(count) B"
    }
}
