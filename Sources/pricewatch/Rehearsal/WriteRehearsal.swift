import Engine
import Foundation
import Markets

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
            json.number(RehearsalHint.rounded(messagesADay(rule)))
            json.array("hints", rule.hints) { json, hint in
                json.object { json in
                    json.member("code", hint.code)
                    json.member("message", hint.message)
                }
            }
            json.array("events", rule.events) { json, event in write(event, &json) }
        }
    }

    private func write(_ event: AlertEvent, _ json: inout JSONWriter) {
        json.object { json in
            json.member("event", event.kind.rawValue)
            json.member("reason", event.reason.rawValue)
            json.member("market", event.market.text)
            json.member("symbol", event.symbol.isEmpty ? nil : event.symbol)
            json.member("price", event.price)
            json.member("threshold", event.threshold)
            json.member("change_percent", event.changePercent)
            json.member("at", event.at)
            json.member("quoted_at", event.quotedAt)
            json.member("since", event.since)
            json.member("late_s", event.lateSeconds)
            json.member("fired_s", event.firedSeconds)
        }
    }
}

extension AlertEvent {
    /// How long the alert fired, if this event resolves it.
    fileprivate var firedSeconds: Int? {
        guard kind == .resolved, let since else { return nil }
        return Int(at.since(since).inSeconds)
    }
}
