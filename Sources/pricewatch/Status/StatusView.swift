import Foundation
import Markets

/// A status for people.
enum StatusView {
    static func lines(_ status: StatusDocument, _ verdict: StatusVerdict, _ terminal: Terminal, now: Date) -> [String] {
        let colour: Terminal.Colour = verdict.exit == 0 ? .green : verdict.exit == 1 ? .yellow : .red
        var lines = [terminal.paint(verdict.line, colour)]
        for reason in status.reasons ?? [] {
            lines.append("  \(reason.code): \(SafeText.printable(reason.message))")
        }
        lines += ["", feedLine(status, now: now)].compactMap { $0 }
        if let summary = status.summary { lines += SummaryView.lines(summary, window: "24h") }
        if let markets = status.markets, !markets.isEmpty {
            lines.append("")
            lines += table(of: markets, now: now).lines(on: terminal)
            if let more = status.marketsOmitted, more > 0 { lines.append("… and \(more) more") }
        }
        lines += alerts(status, terminal, now: now)
        if let outbox = status.outbox, outbox.queued > 0 {
            let oldest = outbox.oldestSeconds.map { ", the oldest for \(Duration.seconds($0).roundedText)" } ?? ""
            lines += ["", "outbox: \(outbox.queued) message\(outbox.queued == 1 ? " waits" : "s wait")\(oldest)"]
        }
        if let history = status.history {
            let since = history.oldestAt.map { ", since \($0.utcText)" } ?? ""
            lines += [
                "", "history: \(history.samples) samples, \(Bytes.text(history.bytes))\(since), \(history.database)",
            ]
        }
        return lines
    }

    private static func feedLine(_ status: StatusDocument, now: Date) -> String? {
        guard let feeds = status.feeds, !feeds.isEmpty else { return nil }
        return feeds.map { feed in
            var text = "feed \(SafeText.printable(feed.name)): \(feed.state)"
            if let next = feed.nextTryAt { text += ", asked again at \(next.utcText)" }
            if let requests = feed.requestsMonth {
                text += ", \(requests) request\(requests == 1 ? "" : "s") this month"
                if let quota = feed.quotaMonth { text += " of \(quota)" }
            }
            if let end = feed.quotaEndsAt { text += ", used up by \(end.utcText)" }
            return text
        }.joined(separator: "\n")
    }

    private static func table(of markets: [StatusDocument.Market], now: Date) -> Table {
        var table = Table([
            ("market", .left), ("symbol", .left), ("price", .right), ("24h %", .right), ("age", .right),
            ("state", .left),
        ])
        for market in markets {
            let change = market.change.flatMap(Percent.init(rounding:))
            let trend: Terminal.Colour? = change.flatMap { $0 > .zero ? .green : $0 < .zero ? .red : nil }
            let state = market.state + (market.reason.map { " (\($0))" } ?? "")
            table.add([
                .init(market.market), .init(String(market.symbol.prefix(12)).uppercased()),
                .init(market.price.map { "\($0) \(market.currency)" } ?? "–", market.price == nil ? .dim : nil),
                .init(change?.signed ?? "–", trend), .init(market.quotedAt.map { now.since($0).roundedText } ?? "–"),
                .init(state, market.state == "fresh" ? .dim : .yellow),
            ])
        }
        return table
    }

    private static func alerts(_ status: StatusDocument, _ terminal: Terminal, now: Date) -> [String] {
        let firing = (status.alerts?.firing ?? []).map { ($0, "firing", Terminal.Colour.red) }
        let pending = (status.alerts?.pending ?? []).map { ($0, "pending", Terminal.Colour.yellow) }
        let silences = (status.alerts?.silences ?? []).filter { $0.until > now }.map { silence in
            let rule = silence.rule.map { SafeText.printable($0) } ?? "all rules"
            let market = silence.market.map { " on \(SafeText.printable($0))" } ?? ""
            return "silenced \(rule)\(market) until \(silence.until.utcText)"
        }
        guard !firing.isEmpty || !pending.isEmpty || !silences.isEmpty else { return [] }
        return [""]
            + (firing + pending).map { event, word, colour in
                let since = event.since.map { " for \(now.since($0).roundedText)" } ?? ""
                let note = event.note.map { " – \(SafeText.printable($0, atMost: 80))" } ?? ""
                return terminal.paint(word, colour)
                    + " \(SafeText.printable(event.rule)): \(SafeText.printable(event.market)) \(event.condition)\(since)\(note)"
            } + silences
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
