import Foundation
import Markets

extension Engine {
    mutating func stop(at now: Moment, _ plan: inout Plan) {
        guard !isStopping else { return }
        plan.log.append(LogLine(.info, "service.stopping"))
        daemon.phase = .stopping(since: now.uptime)
        plan.publishChange()
    }

    /// Grace period of running work after a stop.
    var grace: Duration { cycle == nil ? Self.deliveryGrace : Self.pollGrace }

    /// Whether the daemon may exit.
    func isOver(at now: Moment) -> Bool {
        switch daemon.phase {
        case .starting, .running: return false
        case .stopping(let since): return now.uptime >= since + grace || (cycle == nil && outbox.isIdle)
        case .draining(let since):
            if now.uptime >= since.uptime + (settings.once ?? .zero) { return true }
            guard outbox.isIdle, !chores.isPruning, !chores.isHeartbeatRunning else { return false }
            // An attempt that is due later is left to the next run.
            return outbox.nextMoment(after: now.wall).map { $0 > since.wall + .seconds(3) } ?? true
        }
    }

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
