import Engine
import Foundation
import Markets

/// What one rule would have said.
struct RehearsedRule: Sendable {
    let rule: AlertRule
    let audience: Audience
    private(set) var events: [AlertEvent] = []
    private(set) var periods: [Period] = []
    /// Why it said nothing, or too much.
    var hints: [RehearsalHint] = []
    private var open: [MarketID: Int] = [:]

    init(_ rule: AlertRule, _ audience: Audience) {
        self.rule = rule
        self.audience = audience
    }

    /// From when to when it would have fired on one market.
    struct Period: Hashable, Sendable {
        var market: MarketID
        var from: Date
        /// Nil where it fired already when the rehearsal began.
        var price: Price?
        var currency: Currency
        /// Nil while it still fires.
        var end: AlertEvent?
    }

    mutating func add(_ event: AlertEvent) {
        events.append(event)
        switch event.kind {
        case .pending: break
        case .firing:
            open[event.market] = periods.count
            periods.append(Period(market: event.market, from: event.at, price: event.price, currency: event.currency))
        case .reminder: if open[event.market] == nil { begin(event) }
        case .resolved:
            if open[event.market] == nil { begin(event) }
            if let place = open.removeValue(forKey: event.market) { periods[place].end = event }
        }
    }

    /// It has fired since before the rehearsal.
    private mutating func begin(_ event: AlertEvent) {
        open[event.market] = periods.count
        periods.append(Period(market: event.market, from: event.since ?? event.at, currency: event.currency))
    }

    func count(_ kind: AlertEvent.Kind) -> Int { events.count { $0.kind == kind } }

    /// How many messages would have gone out, before those of one poll are put together.
    var messages: Int {
        (count(.firing) + count(.reminder)) * audience.channels + count(.resolved) * audience.toldOfEnds
    }
}

/// How many channels hear of a rule.
struct Audience: Hashable, Sendable {
    var channels: Int
    /// Those that are told when an alert ends.
    var toldOfEnds: Int

    /// - Parameter channels: as configured; where there are none at all, it is as if there were one.
    init(of rule: AlertRule, among channels: [Configuration.Channel]) {
        guard !channels.isEmpty || rule.notify != nil else {
            self.channels = 1
            toldOfEnds = 1
            return
        }
        let heard = channels.filter { rule.notify?.contains($0.name) ?? true }
        self.channels = heard.count
        toldOfEnds = heard.count(where: \.sendResolved)
    }
}
