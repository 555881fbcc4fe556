public import Foundation

/// The rules and where each of their alerts stands.
public struct AlertBook: Sendable {
    public let rules: [AlertRule]
    private let names: [String: Int]
    public private(set) var alerts: [AlertKey: Alert]
    private let identity: Identity

    /// What is the same for every event of one daemon.
    public struct Identity: Hashable, Sendable {
        /// Tells this database's events from those of any other.
        public var installation: String
        public var host: String
        public var currency: Currency

        public init(installation: String, host: String, currency: Currency) {
            self.installation = installation
            self.host = host
            self.currency = currency
        }
    }

    /// Rules with what the history remembers of their alerts.
    public init(rules: [AlertRule], remembering alerts: [AlertKey: Alert], identity: Identity) {
        self.rules = rules
        self.alerts = alerts
        self.identity = identity
        names = Dictionary(rules.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// What one evaluation changed: to be stored with the poll, then told.
    public struct Changes: Sendable {
        public var alerts: [AlertKey: Alert] = [:]
        public var events: [AlertEvent] = []
    }

    /// The circumstances of one evaluation.
    public struct Moment: Sendable {
        public var now: Date
        /// Two answers further apart add nothing to the time that `for` counts.
        public var longestStep: Duration
        /// The last poll before a gap that this evaluation ends; nil where there was none.
        public var watchedUntil: Date?

        public init(now: Date, longestStep: Duration, watchedUntil: Date? = nil) {
            self.now = now
            self.longestStep = longestStep
            self.watchedUntil = watchedUntil
        }
    }

    /// Plays one poll through every rule.
    public mutating func evaluate(_ board: MarketBoard, at moment: Moment) -> Changes {
        var changes = Changes()
        for rule in rules where rule.enabled {
            for entry in board.entries where rule.scope.covers(entry.market) {
                judge(rule, entry, at: moment, into: &changes)
            }
        }
        retire(board, at: moment, into: &changes)
        for (key, alert) in changes.alerts { alerts[key] = alert }
        changes.events.sort { ($0.rule, $0.market) < ($1.rule, $1.market) }
        return changes
    }

    private func judge(
        _ rule: AlertRule, _ entry: MarketBoard.Entry, at moment: Moment, into changes: inout Changes
    ) {
        let key = AlertKey(rule: rule.name, market: entry.market)
        let condition = rule.condition.description
        var alert = alerts[key] ?? Alert(condition: condition)
        if alert.condition != condition {
            announceEnd(of: &alert, key, rule, entry, .edited, at: moment, into: &changes)
            alert.condition = condition
            alert.state = .inactive
        }
        let sighting = entry.state(at: moment.now) == .fresh ? entry.shown : nil
        let verdict = Markets.evaluate(
            rule, from: alert.state, seeing: sighting.map { .price($0.price) } ?? .unknown,
            longestStep: moment.longestStep, now: moment.now)
        let before = alert.state
        alert.state = verdict.state
        if let kind = verdict.announcement {
            announce(kind, verdict.reason, of: &alert, from: before, key, rule, entry, at: moment, into: &changes)
        }
        if alert != alerts[key] ?? Alert(condition: condition) { changes.alerts[key] = alert }
    }

    /// Ends the alerts whose rule or market is no longer there.
    private func retire(_ board: MarketBoard, at moment: Moment, into changes: inout Changes) {
        for (key, kept) in alerts {
            let rule = names[key.rule].map { rules[$0] }
            let entry = board[key.market]
            let reason: AlertReason
            switch (rule, entry) {
            case (nil, _): reason = .removed
            case (let rule?, _) where !rule.enabled: reason = .disabled
            case (_, nil): reason = .unwatched
            case (let rule?, _?) where !rule.scope.covers(key.market): reason = .removed
            default: continue
            }
            guard kept.state != .inactive else { continue }
            var alert = kept
            announceEnd(of: &alert, key, rule, entry, reason, at: moment, into: &changes)
            alert.state = .inactive
            changes.alerts[key] = alert
        }
    }

    private func announceEnd(
        of alert: inout Alert, _ key: AlertKey, _ rule: AlertRule?, _ entry: MarketBoard.Entry?,
        _ reason: AlertReason, at moment: Moment, into changes: inout Changes
    ) {
        guard case .firing = alert.state else { return }
        announce(.resolved, reason, of: &alert, from: alert.state, key, rule, entry, at: moment, into: &changes)
    }

    private func announce(
        _ kind: AlertEvent.Kind, _ reason: AlertReason, of alert: inout Alert, from before: AlertState,
        _ key: AlertKey, _ rule: AlertRule?, _ entry: MarketBoard.Entry?, at moment: Moment,
        into changes: inout Changes
    ) {
        alert.announcements += 1
        let late = moment.watchedUntil.map { Int(moment.now.since($0).components.seconds) }
        changes.events.append(
            AlertEvent(
                id: AlertEvent.id(
                    installation: identity.installation, key: key, condition: alert.condition,
                    announcement: alert.announcements),
                kind: kind, reason: reason, rule: key.rule, market: key.market, symbol: entry?.symbol ?? "",
                name: entry?.name ?? "", currency: identity.currency, severity: rule?.severity ?? .warning,
                note: rule?.note, condition: alert.condition, price: entry?.shown?.price,
                threshold: rule?.condition.threshold, at: moment.now, quotedAt: entry?.shown?.quotedAt,
                since: before.since ?? moment.now, lateSeconds: late, feed: entry?.shown?.feed, host: identity.host))
    }
}

extension AlertState {
    /// Since when it has been so; nil while nothing is the matter.
    public var since: Date? {
        switch self {
        case .inactive: nil
        case .pending(let since, _, _): since
        case .firing(let since): since
        }
    }
}
