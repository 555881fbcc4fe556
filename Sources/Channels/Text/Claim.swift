import Engine
import Foundation
import Markets

/// What happened to an event's market, in a few words.
struct Claim {
    var mark: String
    var text: String
    /// True if the event reports a return to normal.
    var isGood = false

    init(_ event: AlertEvent) {
        switch event.kind {
        case .resolved where event.reason == .conditionEnded:
            self.init("✓", event.condition.endText, isGood: true)
        case .resolved: self.init("■", Self.reason(event.reason))
        case .pending, .firing, .reminder:
            let held = event.condition.heldText(in: event)
            self.init(event.kind == .pending ? "○" : held.mark, held.text)
        }
    }

    private init(_ mark: String, _ text: String, isGood: Bool = false) {
        self.mark = mark
        self.text = text
        self.isGood = isGood
    }

    /// Why an alert ended, if its condition did not.
    private static func reason(_ reason: AlertReason) -> String {
        switch reason {
        case .edited: "the rule was edited"
        case .disabled: "the rule was disabled"
        case .removed: "the rule was removed"
        case .expired: "the rule has expired"
        case .unwatched: "no longer watched"
        default: "resolved"
        }
    }
}

extension AlertRule.Condition {
    /// The text while the condition holds, or is not cleared yet.
    fileprivate func heldText(in event: AlertEvent) -> (mark: String, text: String) {
        switch self {
        case .above(let level):
            return ("▲", Self.side(event, level, "above") { $0 > level })
        case .below(let level):
            return ("▼", Self.side(event, level, "below") { $0 < level })
        case .outside(let low, let high):
            guard let price = event.price else { return ("●", "outside \(Self.corridor(low, high))") }
            if price < low { return ("▼", "below \(PriceText.exact(low))") }
            if price > high { return ("▲", "above \(PriceText.exact(high))") }
            return ("●", "not yet clear of \(Self.corridor(low, high))")
        case .rises(let percent, let window): return Self.move(event, "▲", "+\(percent.magnitudeText)", window)
        case .falls(let percent, let window): return Self.move(event, "▼", "−\(percent.magnitudeText)", window)
        case .moves(let percent, let window):
            let mark = (event.changePercent ?? .zero) < .zero ? "▼" : "▲"
            return Self.move(event, mark, "±\(percent.magnitudeText)", window)
        case .newHigh(let window):
            guard let change = event.changePercent, change < .zero else {
                return ("▲", "highest in \(window.unitsText)")
            }
            return ("▲", "\(change.signedText) from its \(window.unitsText) high")
        case .newLow(let window):
            guard let change = event.changePercent, change > .zero else {
                return ("▼", "lowest in \(window.unitsText)")
            }
            return ("▼", "\(change.signedText) from its \(window.unitsText) low")
        case .stale(let limit), .marketStale(let limit):
            let age = event.quotedAt.map { event.at.since($0) } ?? limit
            return ("⚠", "\(Self.still(event))no new price for \(age.ageText)")
        case .marketMissing(let answers): return ("⚠", "\(Self.still(event))no usable price in \(answers) answers")
        case .feedStale(let limit):
            let fired = event.kind == .reminder ? event.since.map { event.at.since($0) } ?? .zero : .zero
            return ("⚠", "\(Self.still(event))no usable answer for \((limit + fired).ageText)")
        }
    }

    /// The text once the condition has ended.
    fileprivate var endText: String {
        switch self {
        case .above(let level): "no longer above \(PriceText.exact(level))"
        case .below(let level): "no longer below \(PriceText.exact(level))"
        case .outside(let low, let high): "back inside \(Self.corridor(low, high))"
        case .rises(let percent, let window): "no longer +\(percent.magnitudeText) in \(window.unitsText)"
        case .falls(let percent, let window): "no longer −\(percent.magnitudeText) in \(window.unitsText)"
        case .moves(let percent, let window): "no longer ±\(percent.magnitudeText) in \(window.unitsText)"
        case .newHigh(let window): "no longer highest in \(window.unitsText)"
        case .newLow(let window): "no longer lowest in \(window.unitsText)"
        case .stale, .marketStale, .marketMissing: "prices are back"
        case .feedStale: "answers again"
        }
    }

    /// With `clear`, an alert keeps firing after the price has crossed back over its level.
    private static func side(
        _ event: AlertEvent, _ level: Price, _ word: String, _ isBeyond: (Price) -> Bool
    ) -> String {
        let isBack = event.price.map { !isBeyond($0) } ?? false
        return "\(isBack ? "not yet clear of" : word) \(PriceText.exact(level))"
    }

    private static func move(
        _ event: AlertEvent, _ mark: String, _ threshold: String, _ window: Duration
    ) -> (mark: String, text: String) {
        (mark, "\(event.changePercent?.signedText ?? "\(threshold) or more") in \(window.unitsText)")
    }

    private static func corridor(_ low: Price, _ high: Price) -> String {
        "\(PriceText.exact(low)) to \(PriceText.exact(high))"
    }

    private static func still(_ event: AlertEvent) -> String { event.kind == .reminder ? "still " : "" }
}
