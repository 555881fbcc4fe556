import Engine
import Foundation
import Markets

/// The state of the daemon: its reasons, feeds, messages and history.
package struct StatusPage {
    private let frame: PageFrame

    package init(_ frame: PageFrame) { self.frame = frame }

    package var bytes: [UInt8] {
        frame.page("Status", .status) { html in
            let status = frame.status
            // Nothing could be read; the first line says why.
            if frame.exit == 3 { return }
            if !status.reasons.isEmpty {
                html.element("h2", text: "Reasons")
                html.element("ul", ["class": "reasons"]) { html in
                    for reason in status.reasons {
                        html.element("li") { html in
                            html.element("strong", text: reason.code)
                            html.write(": \(frame.zone.local(reason.message))")
                        }
                    }
                }
            }
            html.element("h2", text: "Daemon")
            html.element("dl") { daemon(&$0) }
            if !status.feeds.isEmpty {
                html.element("h2", text: "Feeds")
                feeds(&html)
            }
            if !status.exports.isEmpty {
                html.element("h2", text: "Exports")
                exports(&html)
            }
        }
    }

    private func daemon(_ html: inout MarkupWriter) {
        let status = frame.status
        func row(_ title: String, _ content: (inout MarkupWriter) -> Void) {
            html.element("dt", text: title)
            html.element("dd", [:], content)
        }
        row("State") { $0.write(status.state.rawValue) }
        if let started = status.startedAt { row("Started") { frame.time(started, to: .seconds, &$0) } }
        if let poll = status.lastPoll {
            row("Last poll") { html in
                frame.time(poll.at, to: .seconds, &html)
                let markets = poll.outcome == .failed ? "" : ", \(poll.markets) markets"
                let error = poll.error.map { ": \($0.message)" } ?? ""
                html.write(": \(poll.feed) \(poll.outcome.rawValue)\(markets) in \(poll.tookMilliseconds) ms\(error)")
            }
        }
        // That of a daemon that has ended is in the past.
        if let next = status.nextPollAt, next > frame.now { row("Next poll") { frame.time(next, to: .seconds, &$0) } }
        row("Messages") {
            let words = status.outboxWords(in: frame.zone, now: frame.now)
            $0.write(words.isEmpty ? "none waiting" : words.joined(separator: "; "))
        }
        if status.history.samples > 0 { row("History") { $0.write(status.historyWords(in: frame.zone)) } }
    }

    private func feeds(_ html: inout MarkupWriter) {
        html.table("Feeds", [("Feed", nil), ("State", nil), ("Requests this month", "n")]) { html in
            for feed in frame.status.feeds {
                html.element("tr") { html in
                    html.element("th", ["scope": "row"]) { $0.element("bdi", text: feed.name) }
                    let isGood = feed.state == .serving || feed.state == .standby
                    html.element("td", ["class": isGood ? nil : "warn"]) { html in
                        html.write(feed.state.rawValue)
                        for (words, moment) in [
                            (", asked again at ", feed.nextTryAt), (", used up by ", feed.quotaEndsAt),
                        ] {
                            guard let moment else { continue }
                            html.write(words)
                            frame.time(moment, &html)
                        }
                    }
                    let requests = Digits.separated("\(feed.requestsThisMonth)")
                    let quota = feed.quota.map { " of \(Digits.separated("\($0)"))" } ?? ""
                    html.element("td", ["class": "n"], text: requests + quota)
                }
            }
        }
    }

    private func exports(_ html: inout MarkupWriter) {
        html.table("Exports", [("Export", nil), ("State", nil), ("Samples to send", "n")]) { html in
            for export in frame.status.exports {
                html.element("tr") { html in
                    html.element("th", ["scope": "row"]) { $0.element("bdi", text: export.name) }
                    let error = export.error.map { ": \(SafeText.printable($0))" } ?? ""
                    html.element("td", ["class": export.state == .ok ? nil : "warn"], text: export.words + error)
                    html.element("td", ["class": "n"], text: Digits.separated("\(export.pending)"))
                }
            }
        }
    }
}
