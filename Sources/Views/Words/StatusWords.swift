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

extension StatusReport.Export {
    /// `behind, 1200 samples to send, the oldest 5 min old, 3 lines refused, 12 samples lost`
    package var words: String {
        func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        var words = [state.rawValue]
        if pending > 0 { words.append("\(counted(pending, "sample")) to send, the oldest \(lag.roundedText) old") }
        if refused > 0 { words.append("\(counted(refused, "line")) refused") }
        if lost > 0 { words.append("\(counted(lost, "sample")) lost") }
        return words.joined(separator: ", ")
    }
}

extension StatusReport {
    /// `2 messages wait, the oldest for 5 min`, and for each channel that holds some for its quiet hours
    /// `3 messages held until 07:00 CET (phone)`.
    package func outboxWords(in zone: Zone, now: Date) -> [String] {
        func messages(_ count: Int) -> String { "\(count) message\(count == 1 ? "" : "s")" }
        // Those whose quiet hours are over wait for a daemon.
        let held = outbox.held.filter { $0.until.map { $0 > now } ?? true }
        let queued = held.reduce(outbox.queued) { $0 - $1.count }
        let oldest = outbox.oldest.map { ", the oldest for \(writtenAt.since($0).roundedText)" }
        let waiting = "\(messages(queued)) wait\(queued == 1 ? "s" : "")\(held.isEmpty ? oldest ?? "" : "")"
        let lines = held.map { held in
            let until = held.until.map { end in
                " until \(zone.text(end, end.since(now) < .hours(24) ? .minutesOfDay : .minutes))"
            }
            return "\(messages(held.count)) held\(until ?? "") (\(SafeText.printable(held.channel)))"
        }
        return (queued > 0 ? [waiting] : []) + lines
    }

    /// `4,323 samples, 456 KiB, since 2026-11-20 11:21:21 CET`
    package func historyWords(in zone: Zone) -> String {
        let since = history.oldestAt.map { ", since \(zone.text($0))" } ?? ""
        let samples = Digits.separated("\(history.samples)") + (history.samples == 1 ? " sample" : " samples")
        return "\(samples), \(Bytes.text(history.bytes))\(since)"
    }
}

extension AlertRule.Condition {
    /// `above 60,000`; as `description`, which programs read, where that has no long number.
    package var words: String {
        func text(_ price: Price) -> String { Digits.separated(price.description) }
        return switch self {
        case .above(let level): "above \(text(level))"
        case .below(let level): "below \(text(level))"
        case .outside(let low, let high): "outside \(text(low)) to \(text(high))"
        case .newHigh(let window): "at its highest in \(window.unitsText)"
        case .newLow(let window): "at its lowest in \(window.unitsText)"
        case .stale(let limit), .marketStale(let limit): "no new price for \(limit.unitsText)"
        default: description
        }
    }
}

extension StatusReport.Market {
    /// Of a portfolio whose cost is stated: `value 36,500 usd, cost 25,000 usd, gain +11,500 (+46 %)`; else nil.
    package var holdingWords: String? {
        guard let cost else { return nil }
        let paid = "cost \(Digits.separated("\(cost)")) \(currency)"
        guard let price, let gain else { return "value unknown, \(paid)" }
        let percent = gainPercent.map { " (\($0.signed) %)" } ?? ""
        let sign = gain > 0 ? "+" : gain < 0 ? "-" : ""
        return "value \(price.shortText) \(currency), \(paid), "
            + "gain \(sign)\(Price(gain.magnitude)?.shortText ?? "0")\(percent)"
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
