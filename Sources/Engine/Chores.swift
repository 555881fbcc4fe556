import Foundation
import Markets

// MARK: The past

extension Engine {
    /// Takes the silences in the database, except those whose end is announced but not written yet.
    mutating func follow(_ silences: [Silence]) {
        alerts.silences = silences.filter { silence in
            !recording.unsaved.endedSilences.contains { $0.id == silence.id && silence.until <= $0.at }
        }
    }

    /// Adds backfilled prices to windows and changes, and drops deleted ones. Alerts change at the next poll at the earliest.
    mutating func recall(_ remembered: Remembered, _ plan: inout Plan) {
        summary = remembered.summary
        let before = alerts
        alerts = remembered.alerts
        alerts.resume(before)
        follow(alerts.silences)
        for place in exports.indices {
            if let known = remembered.exports[exports[place].settings.name] { exports[place].recall(known) }
        }
        plan.publishChange()
    }

    /// Starts a round of backfill after the first usable poll of a start, and after a gap.
    mutating func backfillIfDue(after polls: [TakenPoll], _ plan: inout Plan) {
        guard settings.backfill != nil, settings.once == nil else { return }
        if polls.contains(where: { $0.gapStart != nil }) { chores.isBackfillDue = true }
        guard chores.isBackfillDue, !chores.isBackfilling, recording.fault == nil, !isStopping else { return }
        chores.isBackfillDue = false
        chores.isBackfilling = true
        plan.backfill = shortestInterval * 2
    }
}

// MARK: Reload

extension Engine {
    /// Replaces the settings between two cycles and keeps the state.
    mutating func reload(_ next: Settings, _ remembered: Remembered, at now: Moment, _ plan: inout Plan) {
        let before = self
        settings = next
        board = remembered.board
        board.resume(before.board)
        recall(remembered, &plan)
        outbox.reload(next.routing)
        exports = makeExports(remembered)
        sources = makeSources(remembered, at: now)
        for place in sources.indices {
            guard let known = before.sources.first(where: { $0.id == sources[place].id }) else { continue }
            sources[place].resume(known, feeds, at: now)
        }
        for source in sources { board.setInterval(source.step, of: source.id) }
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

// MARK: Digest, heartbeat, pruning

extension Engine {
    mutating func sendDigestIfDue(at now: Date, _ plan: inout Plan) {
        defer { chores.lastDigest = max(chores.lastDigest, now) }
        guard let moment = settings.digest?.lastMoment(before: now, in: settings.zone), moment > chores.lastDigest
        else { return }
        let day = summary.summary(of: board, at: now)
        let markets = board.entries.filter(\.named).map { entry in
            StatusReport.Market(entry, summary.change(of: entry, at: now), at: now)
        }
        var commit = plan.commit ?? Commit()
        outbox.queue(day, of: markets, due: moment, alerts.identity, at: now, into: &commit)
        commit.digest = moment
        plan.commit = commit
        plan.log.append(.digest(day))
    }

    /// Sends a heartbeat if one is due. 95 % of the interval is enough: polls are not exact to the millisecond, and a
    /// poll that is slightly early must not skip a heartbeat.
    mutating func sendHeartbeatIfDue(at now: Date, _ plan: inout Plan) {
        guard let every = settings.heartbeat, !chores.isHeartbeatRunning, !isStopping else { return }
        if let last = chores.lastHeartbeat {
            let age = now.since(last)
            guard age < .zero || age >= every - every / 20 else { return }
        }
        chores.lastHeartbeat = now
        chores.isHeartbeatRunning = true
        plan.sendsHeartbeat = true
    }

    mutating func endHeartbeat(_ fault: String?, at now: Date, _ plan: inout Plan) {
        chores.isHeartbeatRunning = false
        guard let fault else {
            let failed = chores.heartbeatFailures.reset()
            if failed > 0 {
                plan.log.append(LogLine(.info, "heartbeat.sent") { $0.add("after_failures", failed) })
            }
            return
        }
        guard chores.heartbeatFailures.add(at: now) else { return }
        let count = chores.heartbeatFailures.count
        plan.log.append(
            LogLine(.warning, "heartbeat.failed") { line in
                line.add("count", count)
                line.add("message", fault)
            })
    }

    /// Prunes the history once an hour, 7 minutes past the hour, when the hour before has its candles; and when it
    /// exceeds its size limit.
    mutating func pruneIfDue(at now: Date, _ plan: inout Plan) {
        guard !chores.isPruning, !isStopping else { return }
        let hour = (now - .minutes(7)).milliseconds / 3_600_000
        if chores.prunedHour == hour {
            guard let limit = settings.maxSize, recording.stored.bytes > limit, !chores.isStillTooLarge else { return }
        }
        chores.prunedHour = hour
        chores.isPruning = true
        plan.prunes = true
    }
}
