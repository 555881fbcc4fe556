import Markets

extension AlertRule {
    /// What a rule waits for.
    ///
    /// Levels are strict: a price equal to the threshold is neither above nor below it. Relative conditions
    /// compare the newest price with the other prices quoted no longer than the window before it.
    public enum Condition: Hashable, Sendable {
        case above(Price)
        case below(Price)
        /// Below the one or above the other.
        case outside(low: Price, high: Price)
        /// So much or more above the lowest price of the window.
        case rises(Percent, within: Duration)
        /// So much or more below the highest price of the window.
        case falls(Percent, within: Duration)
        /// Either of these.
        case moves(Percent, within: Duration)
        /// Above every other price of the window.
        case newHigh(Duration)
        /// Below every other price of the window.
        case newLow(Duration)
        /// No price quoted for so long.
        case stale(Duration)
        /// In the state `stale` for so long: the market's own `stale_after` and this have passed.
        case marketStale(Duration)
        /// So many answers in a row without a usable price.
        case marketMissing(answers: Int)
        /// No usable answer from the provider for so long.
        case feedStale(Duration)
    }
}

extension AlertRule.Condition: CustomStringConvertible {
    /// As it stands in the configuration: `below 60000`. Another text is another condition.
    public var description: String {
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

    /// How far it looks back; nil where the present is enough.
    public var window: Duration? {
        switch self {
        case .rises(_, let window), .falls(_, let window), .moves(_, let window), .newHigh(let window),
            .newLow(let window):
            window
        case .above, .below, .outside, .stale, .marketStale, .marketMissing, .feedStale: nil
        }
    }

    /// Whether it is about the data rather than about the price, and so is judged also where there is no price.
    public var isAboutData: Bool {
        switch self {
        case .stale, .marketStale, .marketMissing, .feedStale: true
        case .above, .below, .outside, .rises, .falls, .moves, .newHigh, .newLow: false
        }
    }
}
