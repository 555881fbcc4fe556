import Engine
import Foundation
import Markets

/// A single event in one line, readable without context, such as on a lock screen: `▼ BTC 59,990 usd, −5.2 % in 1h
/// (fast-drop)`.
struct Headline {
    /// Maximum length in code points.
    static let length = 60
    private let mark: String
    private let subject: String
    /// The price, or what replaces it.
    private let value: String
    private let claim: String
    private let rule: String

    init(_ event: AlertEvent) {
        let claim = Claim(event)
        mark = claim.mark
        self.claim = claim.text
        // Longer than any headline can show.
        rule = SafeText.line(event.rule, atMost: 100)
        let isFeed = if case .feedStale = event.condition { true } else { false }
        let symbol = SafeText.line(event.symbol, atMost: 100).uppercased()
        let name = isFeed || symbol.isEmpty ? event.market.text : symbol
        subject = SafeText.printable(name, atMost: 24)
        if let price = event.price, !event.condition.isAboutData || event.kind == .resolved {
            let again = Self.again(event)
            let text = PriceText.text(price, apartFrom: event.condition.level(beside: price))
            value = " \(again)\(text) \(event.currency),"
        } else {
            value = isFeed && event.kind == .resolved && claim.isGood ? "" : ":"
        }
    }

    private static func again(_ event: AlertEvent) -> String {
        switch event.reason {
        case .repeatInterval, .silenceEnded: "still "
        case .movedFurther: "now "
        default: ""
        }
    }

    /// The line, shortened to `length`: first the rule's name, then the market's.
    func text(within length: Int = length) -> String {
        func line(_ subject: String, _ rule: String) -> String {
            "\(mark) \(subject)\(value) \(claim)" + (rule.isEmpty ? "" : " (\(rule))")
        }
        func excess(_ text: String) -> Int { text.unicodeScalars.count - length }
        func shortened(_ text: String, by excess: Int, notBelow least: Int) -> String {
            SafeText.printable(text, atMost: max(least, text.unicodeScalars.count - max(0, excess)))
        }
        let whole = line(subject, rule)
        guard excess(whole) > 0 else { return whole }
        var rule = shortened(rule, by: excess(whole), notBelow: 6)
        let subject = shortened(subject, by: excess(line(subject, rule)), notBelow: 8)
        if excess(line(subject, rule)) > 0 { rule = "" }
        return SafeText.printable(line(subject, rule), atMost: length)
    }
}

extension AlertRule.Condition {
    /// The level from which a rounded price must stay distinguishable; nil if there is none.
    fileprivate func level(beside price: Price) -> Price? {
        switch self {
        case .above(let level), .below(let level): level
        case .outside(let low, let high): abs(price.double - low.double) < abs(price.double - high.double) ? low : high
        default: nil
        }
    }
}
