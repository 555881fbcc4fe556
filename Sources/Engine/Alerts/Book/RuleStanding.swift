import Markets

/// One rule's alerts, a byte a market, and how to find those that an observation may change.
struct RuleStanding: Sendable {
    enum Phase: UInt8 {
        case inactive, pending, firing
        /// Firing, and its condition has ended.
        case fading
        case resting
    }

    let screen: Screen
    /// The window's place among the windows; nil where the present is enough.
    let window: Int?
    /// By the number of the market.
    var phases: [UInt8] = []
    /// The numbers of the markets it is about; nil: all.
    private(set) var scope: [Int]?
    /// Expired, and its alerts have been resolved.
    var isOver = false
    /// While its condition clearly holds, a firing alert has nothing to say, nor to remember.
    let isQuietWhileFiring: Bool
    let isRestingForGood: Bool
    private var isPlaced = false

    init(_ rule: AlertRule, window: Int?) {
        screen = Screen(rule.condition)
        self.window = window
        isQuietWhileFiring = rule.repeatEvery == nil && rule.repeatOnMove == nil && !rule.remembersSide
        isRestingForGood = rule.once
        switch rule.scope {
        case .all: scope = nil
        case .markets, .feed: scope = []
        }
    }

    /// Looks up the numbers of the markets it is about, once.
    mutating func place(_ rule: AlertRule, _ markets: inout MarketNumbers) {
        guard !isPlaced else { return }
        isPlaced = true
        switch rule.scope {
        case .all: scope = nil
        case .markets(let ids): scope = Set(ids.map { markets.number(of: $0) }).sorted()
        case .feed(let feed, _): scope = [markets.number(of: feed)]
        }
    }

    mutating func grow(to count: Int) {
        guard count > phases.count else { return }
        phases.append(contentsOf: repeatElement(0, count: count - phases.count))
    }
}

extension AlertRule {
    /// The side on which it last held decides when it is cleared, and what is said at its end.
    fileprivate var remembersSide: Bool {
        switch condition {
        case .outside, .moves: true
        default: false
        }
    }
}

extension RuleStanding.Phase {
    init(_ state: AlertState) {
        switch state {
        case .inactive: self = .inactive
        case .pending: self = .pending
        case .firing(let firing): self = firing.fading == nil ? .firing : .fading
        case .resting: self = .resting
        }
    }
}
