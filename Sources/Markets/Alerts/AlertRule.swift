/// What its owner wants to be told about, for which markets, and how insistently.
public struct AlertRule: Hashable, Sendable {
    /// Unique among the rules; with the market it is the identity of an alert. 1 to 200 characters.
    public var name: String
    public var scope: Scope
    public var condition: Condition
    /// How long the condition must hold before the alert fires (`for`); zero: at once.
    public var holdFor: Duration
    /// The price at which a firing alert resolves; nil: as soon as the condition ends.
    public var clear: Price?
    public var severity: Severity
    public var note: String?
    /// Channels by name; nil: every channel, empty: log and status alone.
    public var notify: [String]?
    public var enabled: Bool

    public init(
        name: String, scope: Scope, condition: Condition, holdFor: Duration = .zero, clear: Price? = nil,
        severity: Severity = .warning, note: String? = nil, notify: [String]? = nil, enabled: Bool = true
    ) {
        self.name = name
        self.scope = scope
        self.condition = condition
        self.holdFor = holdFor
        self.clear = clear
        self.severity = severity
        self.note = note
        self.notify = notify
        self.enabled = enabled
    }

    public enum Scope: Hashable, Sendable {
        case all
        case markets([MarketID])

        public func covers(_ market: MarketID) -> Bool {
            switch self {
            case .all: true
            case .markets(let markets): markets.contains(market)
            }
        }
    }

    /// A condition is strict: a price equal to the threshold is neither above nor below it.
    public enum Condition: Hashable, Sendable {
        case above(Price)
        case below(Price)
    }

    public enum Severity: String, Hashable, Sendable, CaseIterable {
        case info, warning, critical
    }
}

extension AlertRule.Condition: CustomStringConvertible {
    /// As it stands in the configuration: `below 60000`.
    public var description: String {
        switch self {
        case .above(let threshold): "above \(threshold)"
        case .below(let threshold): "below \(threshold)"
        }
    }

    public var threshold: Price {
        switch self {
        case .above(let threshold), .below(let threshold): threshold
        }
    }
}
