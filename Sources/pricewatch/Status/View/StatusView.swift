import Foundation
import Markets
import Views

/// A status for people.
struct StatusView {
    private let status: StatusDocument
    private let verdict: StatusVerdict
    private let trends: Trends?
    private let terminal: Terminal
    private let now: Date

    /// - Parameter trends: nil: no trends are shown.
    init(
        _ status: StatusDocument, _ verdict: StatusVerdict, trends: Trends? = nil, _ terminal: Terminal, now: Date
    ) {
        self.status = status
        self.verdict = verdict
        self.trends = trends
        self.terminal = terminal
        self.now = now
    }

    /// The whole status, however long.
    var lines: [String] {
        var lines = head
        if let markets = status.markets, !markets.isEmpty {
            lines.append("")
            lines += MarketTable(markets, trends: trends, terminal, now: now).lines
            if let more = status.marketsOmitted, more > 0 { lines.append("and \(more) more") }
        }
        if !alerts.isEmpty { lines += [""] + alerts }
        if let outbox = status.outbox, outbox.queued > 0 { lines += ["", line(of: outbox)] }
        if let history = status.history {
            let since = history.oldestAt.map { ", since \($0.utcText)" } ?? ""
            lines += [
                "", "history: \(history.samples) samples, \(Bytes.text(history.bytes))\(since), \(history.database)",
            ]
        }
        return lines
    }

    /// As much of the status as fits this many rows: the alerts, and as many markets as fit.
    func lines(rows: Int) -> [String] {
        let alerts = Self.shortened(alerts, to: max(2, rows / 4))
        let foot = alerts.isEmpty ? [] : [""] + alerts
        let markets = status.markets ?? []
        let all = markets.count + (status.marketsOmitted ?? 0)
        // On a low screen only the first line is shown.
        let heads = [head, [first] + reasons, [first]]
        let head = heads.first { $0.count + foot.count + min(all, rows / 3) + 3 <= rows } ?? [first]
        // The markets need two more rows: a blank line and their header.
        let room = rows - head.count - foot.count - 2
        var table: [String] = []
        if !markets.isEmpty, room > 0 {
            let shown = all <= room ? all : min(markets.count, room - 1)
            table = [""] + MarketTable(markets.prefix(shown), trends: trends, terminal, now: now).lines
            if all > shown { table.append("and \(all - shown) more") }
        }
        return Array((head + table + foot).prefix(rows))
    }

    private var head: [String] {
        [first] + reasons + [""] + (status.feeds ?? []).map(line)
            + (status.summary.map { SummaryView.lines($0, window: "24h") } ?? [])
    }

    private var first: String {
        terminal.paint(verdict.line, verdict.exit == 0 ? .green : verdict.exit == 1 ? .yellow : .red)
    }

    private var reasons: [String] {
        (status.reasons ?? []).map { "  \($0.code): \(SafeText.printable($0.message))" }
    }

    private func line(of feed: StatusDocument.Feed) -> String {
        var text = "feed \(SafeText.printable(feed.name)): \(feed.state)"
        if let next = feed.nextTryAt { text += ", asked again at \(next.utcText)" }
        if let requests = feed.requestsMonth {
            text += ", \(requests) request\(requests == 1 ? "" : "s") this month"
            if let quota = feed.quotaMonth { text += " of \(quota)" }
        }
        if let end = feed.quotaEndsAt { text += ", used up by \(end.utcText)" }
        return text
    }

    private func line(of outbox: StatusDocument.Outbox) -> String {
        let oldest = outbox.oldestSeconds.map { ", the oldest for \(Duration.seconds($0).roundedText)" } ?? ""
        return "outbox: \(outbox.queued) message\(outbox.queued == 1 ? " waits" : "s wait")\(oldest)"
    }

    private var alerts: [String] {
        let firing = (status.alerts?.firing ?? []).map { ($0, "firing", Terminal.Colour.red) }
        let pending = (status.alerts?.pending ?? []).map { ($0, "pending", Terminal.Colour.yellow) }
        let silences = (status.alerts?.silences ?? []).filter { $0.until > now }.map { silence in
            let rule = silence.rule.map { SafeText.printable($0) } ?? "all rules"
            let market = silence.market.map { " on \(SafeText.printable($0))" } ?? ""
            return "silenced \(rule)\(market) until \(silence.until.utcText)"
        }
        return (firing + pending).map { event, word, colour in
            let since = event.since.map { " for \(now.since($0).roundedText)" } ?? ""
            let note = event.note.map { " – \(SafeText.printable($0, atMost: 80))" } ?? ""
            return terminal.paint(word, colour) + " \(SafeText.printable(event.rule)): "
                + "\(SafeText.printable(event.market)) \(event.condition)\(since)\(note)"
        } + silences
    }

    private static func shortened(_ lines: [String], to count: Int) -> [String] {
        lines.count <= count ? lines : lines.prefix(count - 1) + ["and \(lines.count - count + 1) more"]
    }
}

enum Bytes {
    /// `12 KiB`, `1.5 MiB`
    static func text(_ count: Int64) -> String {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        for (size, name) in units where count >= size {
            let tenths = count * 10 / Int64(size)
            return tenths >= 100 || tenths % 10 == 0
                ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
        }
        return "\(count) B"
    }
}
