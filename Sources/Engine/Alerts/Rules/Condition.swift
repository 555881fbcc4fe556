import Foundation
import Markets

extension AlertRule {
    /// The condition of a rule.
    ///
    /// Levels are strict: a price equal to the threshold is neither above nor below it. Relative conditions
    /// compare the newest price with the other prices quoted no longer than the window before it.
    package enum Condition: Hashable, Sendable {
        case above(Price)
        case below(Price)
        /// Below `low` or above `high`.
        case outside(low: Price, high: Price)
        /// At least this much above the lowest price of the window.
        case rises(Percent, within: Duration)
        /// At least this much below the highest price of the window.
        case falls(Percent, within: Duration)
        /// `rises` or `falls`.
        case moves(Percent, within: Duration)
        /// Above every other price of the window.
        case newHigh(Duration)
        /// Below every other price of the window.
        case newLow(Duration)
        /// No new quote for this long.
        case stale(Duration)
        /// In the state `stale` for this long, after the market's own `stale_after`.
        case marketStale(Duration)
        /// This many consecutive answers without a usable price.
        case marketMissing(answers: Int)
        /// No usable answer from the provider for this long.
        case feedStale(Duration)
    }
}

extension AlertRule.Condition: CustomStringConvertible {
    /// As written in the configuration: `below 60000`. A different text is a different condition.
    package var description: String {
        switch self {
        case .above(let threshold): "above \(threshold)"
        case .below(let threshold): "below \(threshold)"
        case .outside(let low, let high): "outside \(low) to \(high)"
        case .rises(let percent, let window): "rises \(percent)% within \(window.unitsText)"
        case .falls(let percent, let window): "falls \(percent)% within \(window.unitsText)"
        case .moves(let percent, let window): "moves \(percent)% within \(window.unitsText)"
        case .newHigh(let window): "new_high \(window.unitsText)"
        case .newLow(let window): "new_low \(window.unitsText)"
        case .stale(let duration): "stale \(duration.unitsText)"
        case .marketStale(let duration): "state stale for \(duration.unitsText)"
        case .marketMissing(let answers): "no usable price in \(answers) answers"
        case .feedStale(let duration): "no usable answer for \(duration.unitsText)"
        }
    }

    /// The window of a relative condition; nil if the newest price is enough.
    package var window: Duration? {
        switch self {
        case .rises(_, let window), .falls(_, let window), .moves(_, let window), .newHigh(let window),
            .newLow(let window):
            window
        case .above, .below, .outside, .stale, .marketStale, .marketMissing, .feedStale: nil
        }
    }

    /// Whether it is about the data, not the price; such a condition is evaluated also without a price.
    package var isAboutData: Bool {
        switch self {
        case .stale, .marketStale, .marketMissing, .feedStale: true
        case .above, .below, .outside, .rises, .falls, .moves, .newHigh, .newLow: false
        }
    }
}

extension AlertRule.Condition {
    /// Parses the condition of an event, the inverse of `description`; nil for anything else.
    package init?(reading text: String) {
        let words = text.split(separator: " ").map(String.init)
        let prices = words.compactMap { Price(parsing: $0) }
        let number = words.compactMap { Int($0) }.first
        let durations = words.compactMap { Duration(unitsText: $0) }
        let percent = words.first { $0.hasSuffix("%") }
            .flatMap { Decimal(wholeText: $0.dropLast()) }.flatMap(Percent.init(rounding:))
        // Every condition that these values allow; one of them has this text.
        var possible = prices.prefix(1).flatMap { [Self.above($0), .below($0)] }
        if prices.count == 2 { possible.append(.outside(low: prices[0], high: prices[1])) }
        for length in durations {
            possible += [.newHigh(length), .newLow(length), .stale(length), .marketStale(length), .feedStale(length)]
            guard let percent else { continue }
            possible += [
                .rises(percent, within: length), .falls(percent, within: length), .moves(percent, within: length),
            ]
        }
        if let number { possible.append(.marketMissing(answers: number)) }
        guard let read = possible.first(where: { $0.description == text }) else { return nil }
        self = read
    }
}
