import Engine
import Foundation
import Markets

/// What one rule would have announced.
struct RehearsedRule: Sendable {
    let rule: AlertRule
    let audience: Audience
    private(set) var events: [AlertEvent] = []
    private(set) var periods: [Period] = []
    /// Nil for a rule that fires and is not noisy.
    var hint: RehearsalHint?
    private var open: [MarketID: Int] = [:]
    /// How many alerts were pending when the rehearsal began.
    private var pendingBefore = 0

    init(_ rule: AlertRule, _ audience: Audience) {
        self.rule = rule
        self.audience = audience
    }

    /// When it would have fired on one market.
    struct Period: Hashable, Sendable {
        var market: MarketID
        var from: Date
        /// Nil if it already fired when the rehearsal began.
        var price: Price?
        var currency: Currency
        /// Nil while it still fires.
        var end: AlertEvent?
    }

    /// Takes an alert that fires or is pending when the rehearsal begins, by its last event.
    mutating func start(with event: AlertEvent) {
        if event.kind == .pending {
            pendingBefore += 1
        } else {
            begin(event, from: event.since ?? event.at, price: nil)
        }
    }

    /// How often the condition began to hold for less than `for`.
    var timesPending: Int { pendingBefore + count(.pending) }

    mutating func add(_ event: AlertEvent) {
        events.append(event)
        switch event.kind {
        case .pending: break
        case .firing: begin(event, from: event.at, price: event.price)
        case .reminder, .resolved:
            // It already fired before the rehearsal.
            if open[event.market] == nil { begin(event, from: event.since ?? event.at, price: nil) }
            if event.kind == .resolved, let place = open.removeValue(forKey: event.market) {
                periods[place].end = event
            }
        }
    }

    private mutating func begin(_ event: AlertEvent, from: Date, price: Price?) {
        open[event.market] = periods.count
        periods.append(Period(market: event.market, from: from, price: price, currency: event.currency))
    }

    func count(_ kind: AlertEvent.Kind) -> Int { events.count { $0.kind == kind } }

    /// The number of messages: one a poll and channel, whatever the number of markets.
    var messages: Int {
        let fired = events.filter { [.firing, .reminder].contains($0.kind) }
        let ended = events.filter { $0.kind == .resolved }
        let polls = (fired: Set(fired.map(\.at)).count, all: Set((fired + ended).map(\.at)).count)
        return polls.fired * (audience.channels - audience.reportsEnds) + polls.all * audience.reportsEnds
    }
}

/// How many channels a rule notifies.
struct Audience: Hashable, Sendable {
    var channels: Int
    /// The channels that are notified when an alert resolves.
    var reportsEnds: Int

    /// - Parameter channels: As configured; if none is configured, one is assumed.
    init(of rule: AlertRule, among channels: [Configuration.Channel]) {
        guard !channels.isEmpty || rule.notify != nil else {
            self.channels = 1
            reportsEnds = 1
            return
        }
        let heard = channels.filter { rule.notify?.contains($0.name) ?? true }
        self.channels = heard.count
        reportsEnds = heard.count(where: \.routing.sendResolved)
    }
}
