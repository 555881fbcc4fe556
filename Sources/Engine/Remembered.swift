import Foundation
import Markets

/// The state that an engine restores from the history.
package struct Remembered: Sendable {
    package var board: MarketBoard
    /// The rules, with the states of their alerts, the windows of the past and the silences.
    package var alerts: AlertBook
    package var summary: RollingSummary
    package var active: ActiveAlerts
    package var sources: [SourceID: Polled]
    /// When the oldest recorded poll began.
    package var firstPoll: Date?
    /// When the last recorded cycle was.
    package var lastCycle: Date?
    /// Waiting messages, in the order in which they were queued.
    package var queued: [QueuedMessage]
    /// The channels that were notified that an alert fires.
    package var notified: [AlertKey: Set<String>]
    /// Events that were committed and may not have been logged, oldest first.
    package var unlogged: [AlertEvent]
    /// When the newest digest was due.
    package var lastDigest: Date?
    package var stored: StoredHistory
    /// Why nothing can be recorded; nil if the database is open.
    package var fault: String?

    /// When a source was polled.
    package struct Polled: Hashable, Sendable {
        package var last: Date?
        package var lastUsable: Date?

        package init(last: Date? = nil, lastUsable: Date? = nil) {
            self.last = last
            self.lastUsable = lastUsable
        }
    }

    package init(
        board: MarketBoard, alerts: AlertBook, summary: RollingSummary, active: ActiveAlerts = ActiveAlerts([]),
        sources: [SourceID: Polled] = [:], firstPoll: Date? = nil, lastCycle: Date? = nil,
        queued: [QueuedMessage] = [], notified: [AlertKey: Set<String>] = [:], unlogged: [AlertEvent] = [],
        lastDigest: Date? = nil, stored: StoredHistory, fault: String? = nil
    ) {
        self.board = board
        self.alerts = alerts
        self.summary = summary
        self.active = active
        self.sources = sources
        self.firstPoll = firstPoll
        self.lastCycle = lastCycle
        self.queued = queued
        self.notified = notified
        self.unlogged = unlogged
        self.lastDigest = lastDigest
        self.stored = stored
        self.fault = fault
    }
}

extension Engine {
    /// Replaces the settings between two cycles and keeps the state.
    mutating func reload(_ next: Settings, _ remembered: Remembered, at now: Moment, _ plan: inout Plan) {
        let before = self
        settings = next
        board = remembered.board
        if before.settings.currency == next.currency { board.resume(before.board) }
        recall(remembered, &plan)
        outbox.reload(next.routing)
        sources = makeSources(remembered, at: now)
        for place in sources.indices {
            guard let known = before.sources.first(where: { $0.id == sources[place].id }) else { continue }
            sources[place].resume(known, feeds, at: now)
        }
        daemon.rejection = nil
        if next.heartbeat != before.settings.heartbeat { chores.lastHeartbeat = nil }
        chores.isBackfillDue = true
    }

    /// Creates the sources from the history. Each is polled at once unless its last poll is younger than its interval
    /// (at most 60 s): a restart loop must not poll more often than the daemon would.
    func makeSources(_ remembered: Remembered, at now: Moment) -> [Source] {
        settings.sources.map { settings in
            let polled = remembered.sources[settings.id]
            // The shared source has been polled since the oldest recorded poll.
            let knownSince = settings.id == .shared ? remembered.firstPoll ?? now.wall : now.wall
            var source = Source(settings, lastUsable: polled?.lastUsable, knownSince: knownSince)
            source.adjust(feeds, at: now.wall)
            source.step = source.interval.current
            let age = polled?.last.map { now.wall.since($0) }.flatMap { $0 >= .zero ? $0 : nil }
            let delay = age.map { max(.zero, min(settings.every, .seconds(60)) - $0) } ?? .zero
            source.dueAt = now.uptime + delay
            return source
        }
    }
}
