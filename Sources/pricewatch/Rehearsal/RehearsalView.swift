import Engine
import Foundation
import Markets
import Views

/// A rehearsal for people.
enum RehearsalView {
    /// The number of periods listed for a rule; JSON output has all.
    static let mostFirings = 20

    static func lines(_ report: RehearsalReport, _ terminal: Terminal, in zone: Zone) -> [String] {
        var lines = [heading(report, zone)]
        if report.assumesAChannel {
            lines.append("no channel is configured; messages are counted as if there were one")
        }
        for rule in report.rules { lines += [""] + self.lines(rule, report, terminal, zone) }
        return lines
    }

    private static func heading(_ report: RehearsalReport, _ zone: Zone) -> String {
        let messages = report.rules.reduce(0) { $0 + $1.messages }
        let healed = report.backfilledPrices.map { ", " + plural($0, "healed price") } ?? ""
        return "\(zone.text(from: report.since, to: report.until)): \(plural(report.polls, "poll"))\(healed), "
            + plural(messages, "message")
    }

    private static func lines(
        _ rule: RehearsedRule, _ report: RehearsalReport, _ terminal: Terminal, _ zone: Zone
    ) -> [String] {
        let name = terminal.paint(SafeText.printable(rule.rule.name, atMost: 40), .bold)
        let condition = SafeText.printable("\(rule.rule.scope.words) \(rule.rule.condition)", atMost: 80)
        var lines = ["\(name) (\(condition)): \(verdict(rule, report))"]
        if !rule.periods.isEmpty {
            lines += table(rule.periods.prefix(mostFirings), until: report.until, zone).lines(on: terminal).map {
                "  " + $0
            }
        }
        let more = rule.periods.count - mostFirings
        if more > 0 { lines.append("  … and \(more) more; --json has them all") }
        return lines
            + [rule.hint].compactMap(\.self).map {
                "  " + terminal.paint(SafeText.printable(zone.local($0.message)), .yellow)
            }
    }

    private static func verdict(_ rule: RehearsedRule, _ report: RehearsalReport) -> String {
        guard !rule.periods.isEmpty else { return "would not have fired" }
        let (fired, reminders) = (rule.count(.firing), rule.count(.reminder))
        // A day's record ends with its last poll, a little early.
        let isDay = report.until.since(report.since) >= .hours(23)
        return (fired > 0 ? "would have fired \(plural(fired, "time")), " : "was firing already, ")
            + (reminders > 0 ? "reminded \(plural(reminders, "time")), " : "") + plural(rule.messages, "message")
            + (isDay ? ", \(RehearsalReport.rounded(report.messagesADay(rule))) a day" : "")
    }

    private static func table(_ periods: some Sequence<RehearsedRule.Period>, until: Date, _ zone: Zone) -> Table {
        var table = Table([
            ("fired at", .left), ("market", .left), ("price", .right), ("for", .right), ("resolved at", .left),
            ("price", .right), ("reason", .left),
        ])
        for period in periods {
            table.add([
                .init(zone.text(period.from)), .init(period.market.text), .init(text(period.price, period.currency)),
                .init((period.end?.at ?? until).since(period.from).roundedText),
                .init((period.end?.at).map { zone.text($0) } ?? "still fires", period.end == nil ? .red : nil),
                .init(text(period.end?.price, period.currency)), .init(period.end?.reason.rawValue ?? ""),
            ])
        }
        return table
    }

    private static func text(_ price: Price?, _ currency: Currency) -> String {
        price.map { "\($0) \(currency)" } ?? "–"
    }

    private static func plural(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
}

extension AlertRule.Scope {
    /// `bitcoin`, `3 markets`, `all markets`, `feed coingecko`
    var words: String {
        switch self {
        case .all: "all markets"
        case .markets(let markets): markets.count == 1 ? markets[0].text : "\(markets.count) markets"
        case .feed(let feed, of: _): "feed \(feed)"
        }
    }
}

extension RehearsalReport {
    /// A rehearsal as JSON.
    func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("schema", 1)
            json.member("since", since)
            json.member("until", until)
            json.member("polls", polls)
            json.member("healed_prices", backfilledPrices)
            json.array("rules", rules) { json, rule in write(rule, &json) }
        }
    }

    private func write(_ rule: RehearsedRule, _ json: inout JSONWriter) {
        json.object { json in
            json.member("rule", rule.rule.name)
            json.member("condition", rule.rule.condition.description)
            json.member("severity", rule.rule.severity.rawValue)
            json.member("firings", rule.periods.count)
            json.member("firing", rule.periods.count { $0.end == nil })
            json.member("reminders", rule.count(.reminder))
            json.member("messages", rule.messages)
            json.key("messages_a_day")
            json.number(RehearsalReport.rounded(messagesADay(rule)))
            json.array("hints", [rule.hint].compactMap(\.self)) { json, hint in
                json.object { json in
                    json.member("code", hint.code)
                    json.member("message", hint.message)
                }
            }
            json.array("events", rule.events) { json, event in
                json.object { json in
                    var event = event
                    event.fields(&json)
                    // How long the alert fired.
                    let fired = event.kind == .resolved ? event.since.map { event.at.since($0) } : nil
                    json.member("fired_s", fired.map { Int($0.inSeconds) })
                }
            }
        }
    }
}
