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
        case .amountsEdited: "the amounts were edited"
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
        let still = event.kind == .reminder ? "still " : ""
        /// With `clear`, an alert keeps firing after the price has crossed back over its level.
        func unlessBack(_ isBack: (Price) -> Bool, over level: String) -> String {
            event.price.map(isBack) == true ? "not yet clear of \(level)" : phrase
        }
        func move(_ window: Duration) -> String {
            event.changePercent.map { "\($0.signedText) in \(window.unitsText)" } ?? phrase
        }
        func retreat(_ isBack: (Percent) -> Bool, _ window: Duration, from extreme: String) -> String {
            guard let change = event.changePercent, isBack(change) else { return phrase }
            return "\(change.signedText) from its \(window.unitsText) \(extreme)"
        }
        switch self {
        case .above(let level): return ("▲", unlessBack({ $0 <= level }, over: PriceText.exact(level)))
        case .below(let level): return ("▼", unlessBack({ $0 >= level }, over: PriceText.exact(level)))
        case .outside(let low, let high):
            if let price = event.price, price < low { return AlertRule.Condition.below(low).heldText(in: event) }
            if let price = event.price, price > high { return AlertRule.Condition.above(high).heldText(in: event) }
            return ("●", unlessBack({ _ in true }, over: Self.corridor(low, high)))
        case .rises(_, let window): return ("▲", move(window))
        case .falls(_, let window): return ("▼", move(window))
        case .moves(_, let window): return ((event.changePercent ?? .zero) < .zero ? "▼" : "▲", move(window))
        case .newHigh(let window): return ("▲", retreat({ $0 < .zero }, window, from: "high"))
        case .newLow(let window): return ("▼", retreat({ $0 > .zero }, window, from: "low"))
        case .stale(let limit), .marketStale(let limit):
            let age = event.quotedAt.map { event.at.since($0) } ?? limit
            return ("⚠", "\(still)\(phrase) for \(age.ageText)")
        case .marketMissing: return ("⚠", still + phrase)
        case .feedStale(let limit):
            let fired = event.kind == .reminder ? event.since.map { event.at.since($0) } ?? .zero : .zero
            return ("⚠", "\(still)\(phrase) for \((limit + fired).ageText)")
        }
    }

    /// The text once the condition has ended.
    fileprivate var endText: String {
        switch self {
        case .outside(let low, let high): "back inside \(Self.corridor(low, high))"
        case .stale, .marketStale, .marketMissing: "prices are back"
        case .feedStale: "answers again"
        default: "no longer \(phrase)"
        }
    }

    /// What several markets did: `fell 5 % in 1h`, `above 60,000`.
    var severalText: String {
        switch self {
        case .rises(let percent, let window): "rose \(percent.magnitudeText) in \(window.unitsText)"
        case .falls(let percent, let window): "fell \(percent.magnitudeText) in \(window.unitsText)"
        case .moves(let percent, let window): "moved \(percent.magnitudeText) in \(window.unitsText)"
        case .newHigh(let window): "at their highest in \(window.unitsText)"
        case .newLow(let window): "at their lowest in \(window.unitsText)"
        case .stale, .marketStale: "without a new price"
        case .marketMissing(let answers): "without a usable price in \(answers) answers"
        default: phrase
        }
    }

    /// What several markets do once it has ended.
    var severalEndText: String {
        switch self {
        case .stale, .marketStale, .marketMissing: "have prices again"
        default: endText
        }
    }

    private var phrase: String {
        switch self {
        case .above(let level): "above \(PriceText.exact(level))"
        case .below(let level): "below \(PriceText.exact(level))"
        case .outside(let low, let high): "outside \(Self.corridor(low, high))"
        case .rises(let percent, let window): "+\(percent.magnitudeText) in \(window.unitsText)"
        case .falls(let percent, let window): "−\(percent.magnitudeText) in \(window.unitsText)"
        case .moves(let percent, let window): "±\(percent.magnitudeText) in \(window.unitsText)"
        case .newHigh(let window): "highest in \(window.unitsText)"
        case .newLow(let window): "lowest in \(window.unitsText)"
        case .stale, .marketStale: "no new price"
        case .marketMissing(let answers): "no usable price in \(answers) answers"
        case .feedStale: "no usable answer"
        }
    }

    private static func corridor(_ low: Price, _ high: Price) -> String {
        "\(PriceText.exact(low)) to \(PriceText.exact(high))"
    }
}
