import Engine
import Foundation
import Markets

/// The state of the daemon: its reasons, feeds, messages and history.
package struct StatusPage {
    private let frame: PageFrame
    private let title: String

    package init(_ frame: PageFrame, title: String = "Status") {
        self.frame = frame
        self.title = title
    }

    package var bytes: [UInt8] {
        frame.page(title, .status) { html in
            let status = frame.status
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
        }
    }

    private func daemon(_ html: inout MarkupWriter) {
        let status = frame.status
        func row(_ title: String, _ content: (inout MarkupWriter) -> Void) {
            html.element("dt", text: title)
            html.element("dd", [:], content)
        }
        row("State") { $0.write(status.state.rawValue) }
        if let started = status.startedAt { row("Started") { frame.time(started, &$0) } }
        if let poll = status.lastPoll {
            row("Last poll") { html in
                frame.time(poll.at, &html)
                let error = poll.error.map { ": \($0.kind.rawValue), \($0.message)" } ?? ""
                html.write(
                    ", \(poll.outcome.rawValue) from \(poll.feed), \(poll.markets) markets in "
                        + "\(poll.tookMilliseconds) ms\(error)")
            }
        }
        if let next = status.nextPollAt { row("Next poll") { frame.time(next, &$0) } }
        row("Messages") {
            let words = status.outboxWords(in: frame.zone, now: frame.now)
            $0.write(words.isEmpty ? "none waits" : words.joined(separator: "; "))
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
}
