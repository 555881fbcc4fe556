import Foundation
import Markets

// MARK: The schedule

extension Engine {
    /// The shortest interval in force.
    var shortestInterval: Duration { sources.map(\.interval.current).min() ?? .minutes(1) }

    /// The shortest of the intervals by which the sources' next polls were scheduled.
    var shortestStep: Duration { sources.map(\.step).min() ?? shortestInterval }

    package func untilNextPoll(at uptime: Duration) -> Duration { sources.map { $0.delay(at: uptime) }.min() ?? .zero }

    /// How far ahead of now the summary loads the prices of a day ago.
    var readAhead: Duration { (sources.map(\.interval.current).max() ?? .minutes(1)) * 2 + settings.deadline }

    /// The polls of a day ago whose samples the next cycles compare with, read after the commit; nil if they are
    /// loaded.
    func pastNeeded(at now: Date) -> Range<Date>? { summary.pastNeeded(until: now + readAhead, now: now) }

    /// The last usable poll before a gap; nil if there is no gap, and in single-cycle mode, where the user decides when
    /// to poll.
    func gapStart(before started: Date) -> Date? {
        settings.once == nil ? lastBeforeGap(lastUsablePoll, until: started, interval: shortestStep) : nil
    }

    var lastUsablePoll: Date? { sources.compactMap(\.lastUsable).max() }

    var isStopping: Bool { if case .stopping = daemon.phase { true } else { false } }

    func nextWake(at now: Moment) -> Duration? {
        var moments: [Duration] = []
        switch daemon.phase {
        case .stopping(let since): return since + grace
        case .draining(let since): moments.append(since.uptime + (settings.once ?? .zero))
        case .starting, .running: if cycle == nil { moments += sources.map(\.dueAt) }
        }
        if let next = outbox.nextMoment(after: now.wall) { moments.append(now.uptime(at: next)) }
        moments += exports.compactMap(\.nextMoment)
        return moments.min()
    }
}

// MARK: The end

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
            guard outbox.isIdle, exports.allSatisfy(\.isIdle), !chores.isPruning, !chores.isHeartbeatRunning else {
                return false
            }
            // An attempt that is due later is left to the next run.
            return outbox.nextMoment(after: now.wall).map { $0 > since.wall + .seconds(3) } ?? true
        }
    }
}
