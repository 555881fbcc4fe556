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
        subject = Self.subject(of: event)
        if let price = event.price, !event.condition.isAboutData || event.kind == .resolved {
            let again = Self.again(event)
            let text = PriceText.text(price, apartFrom: event.condition.level(beside: price))
            value = " \(again)\(text) \(event.currency),"
        } else {
            value = event.condition.isFeed && event.kind == .resolved && claim.isGood ? "" : ":"
        }
    }

    /// Events of one rule that are each about another market: `▼ 3 markets fell 5 % in 1h: BTC, ETH, SOL (fast-drop)`,
    /// with as many names as fit. Nil for other events.
    init?(_ events: [AlertEvent]) {
        guard let first = events.first, events.allSatisfy({ $0.rule == first.rule }),
            Set(events.map(\.market)).count == events.count
        else { return nil }
        let new = events.filter { $0.kind == .firing }
        let still = events.filter { $0.kind == .reminder }
        let over = events.filter { $0.kind == .resolved }
        let ends = Set(
            over.map { $0.reason == .conditionEnded ? $0.condition.severalEndText : "resolved, \(Claim($0).text)" })
        let groups = [
            (new, new.first?.condition.severalText ?? ""), (still, "still firing"),
            (over, ends.count == 1 && over.count == events.count ? ends.joined() : "resolved"),
        ].filter { !$0.0.isEmpty }
        let marks = Set((over.count == events.count ? over : new + still).map { Claim($0).mark })
        mark = marks.count == 1 ? marks.joined() : "●"
        let count = groups.first?.0.count ?? 0
        subject = "\(count) market\(count == 1 ? "" : "s")"
        value = ""
        rule = SafeText.line(first.rule, atMost: 100)
        let rest = groups.dropFirst().map { ", \($0.count) \($1)" }.joined()
        let text = (groups.first?.1 ?? "") + rest
        // Of two groups, a name would not say which it belongs to.
        let names = groups.count == 1 ? events.map(Self.subject) : []
        let room = Self.length - "\(mark) \(subject)  (\(rule))".unicodeScalars.count
        let named = (0..<names.count).reversed().lazy.map { "\(text): \(names.listed(upTo: $0 + 1))" }
        claim = named.first { $0.unicodeScalars.count <= room } ?? text
    }

    /// The symbol, or the id of a market without one.
    private static func subject(of event: AlertEvent) -> String {
        let symbol = SafeText.line(event.symbol, atMost: 100).uppercased()
        return SafeText.printable(event.condition.isFeed || symbol.isEmpty ? event.market.text : symbol, atMost: 24)
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
    fileprivate var isFeed: Bool { if case .feedStale = self { true } else { false } }

    /// The level from which a rounded price must stay distinguishable; nil if there is none.
    fileprivate func level(beside price: Price) -> Price? {
        switch self {
        case .above(let level), .below(let level): level
        case .outside(let low, let high): abs(price.double - low.double) < abs(price.double - high.double) ? low : high
        default: nil
        }
    }
}
