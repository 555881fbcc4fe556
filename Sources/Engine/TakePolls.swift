import Foundation
import Markets

extension Engine {
    /// Processes the polls that have ended: updates the board, evaluates the rules, adds to the commit. After a gap all
    /// sources are processed together; otherwise answered sources do not wait for slow ones.
    mutating func takePolls(at now: Moment, _ plan: inout Plan) {
        guard var cycle, cycle.gapStart == nil || cycle.polling.isEmpty else { return }
        var polls: [TakenPoll] = []
        for (id, result) in cycle.ended {
            guard let place = sources.firstIndex(where: { $0.id == id }) else { continue }
            if let until = result.result.waitsUntil {
                sources[place].wait(until: until)
                cycle.waitsUntil = min(cycle.waitsUntil ?? until, until)
            }
            if let poll = TakenPoll(result, of: sources[place], into: &board) { polls.append(poll) }
        }
        cycle.ended = []
        cycle.taken += polls
        self.cycle = cycle
        guard !polls.isEmpty else { return }
        clock.trust = cycle.clock ?? clock.trust
        let gaps = end(polls, at: cycle.started)
        daemon.lastPoll = sources.compactMap { source in cycle.taken.first { $0.source == source.id } }
            .lastPoll(at: cycle.started, ended: now.wall)
        // A wrong clock gives wrong ages, and a price recorded with a future time would stay the newest until then.
        let isTrusted = clock.trust != .refuted
        let moment = polls.compactMap { $0.answer?.fetchedAt }.max() ?? now.wall
        let changes = isTrusted ? judge(polls, gaps, cycle.gap, at: moment) : AlertBook.Changes()
        cover(polls, at: cycle.started, moment)
        if isTrusted {
            record(
                polls.filter { $0.clockFault == nil }
                    .map { $0.record(settings.currency, at: cycle.started, ended: now.wall, watching: board) },
                changes, after: gaps.isEmpty ? nil : gap(of: cycle), at: moment, now: now.wall, &plan)
            if polls.contains(where: \.isUsable) { backfillIfDue(after: gaps, &plan) }
        }
        for poll in polls { log(poll, at: cycle.started, now: now.wall, &plan) }
        if polls.contains(where: \.isUsable) { sendHeartbeatIfDue(at: now.wall, &plan) }
        for event in changes.events { plan.log(event) }
        plan.publishChange()
    }

    /// Processes a cycle in which no feed could be polled: evaluates only rules on the age of the data.
    mutating func idle(until moment: Date?, at now: Moment, _ plan: inout Plan) {
        guard clock.trust != .refuted else { return }
        let changes = judge([], [:], GapReading(), at: now.wall)
        record([], changes, after: nil, at: now.wall, now: now.wall, &plan)
        plan.commit?.idleCycle = Commit.IdleCycle(
            at: now.wall, watched: WatchedMarkets(board.markets, named: board.named))
        for event in changes.events { plan.log(event) }
    }

    /// Records how the polls ended. Returns, for each source that ends a gap, its last usable poll before the gap.
    mutating func end(_ polls: [TakenPoll], at started: Date) -> [SourceID: Date] {
        var gaps: [SourceID: Date] = [:]
        for poll in polls {
            guard let place = sources.firstIndex(where: { $0.id == poll.source }) else { continue }
            gaps[poll.source] = sources[place].end(poll, at: started)
        }
        return gaps
    }

    mutating func judge(
        _ polls: [TakenPoll], _ gaps: [SourceID: Date], _ reading: GapReading, at moment: Date
    ) -> AlertBook.Changes {
        let answered = Set(polls.filter { $0.answer != nil }.map(\.source))
        var contexts: [SourceID: AlertBook.SourceContext] = [:]
        for source in sources {
            let gap = gaps[source.id]
            contexts[source.id] = AlertBook.SourceContext(
                interval: source.step, watchedUntil: gap, answered: answered.contains(source.id),
                lastUsableAnswer: source.silentSince,
                backfilled: gap.map { gap in
                    reading.backfilled.mapValues { $0.filter { $0.quotedAt >= gap && $0.quotedAt < moment } }
                } ?? [:])
        }
        let changes = alerts.evaluate(
            board, at: AlertBook.Context(now: moment, sources: contexts, downtime: daemon.downtime))
        active.take(changes)
        return changes
    }

    private mutating func cover(_ polls: [TakenPoll], at started: Date, _ moment: Date) {
        let usable = polls.filter(\.isUsable)
        for poll in usable { summary.cover(poll.source, at: started, interval: poll.interval) }
        if !usable.isEmpty { summary.forget(at: moment) }
    }

    private func gap(of cycle: Cycle) -> Gap? {
        guard let last = cycle.gapStart else { return nil }
        return Gap(
            from: last, to: cycle.started, backfilled: cycle.gap.backfilled.values.reduce(0) { $0 + $1.count },
            backfilling: cycle.gap.backfillable)
    }

    private mutating func record(
        _ polls: [PollRecord], _ changes: AlertBook.Changes, after gap: Gap?, at moment: Date, now: Date,
        _ plan: inout Plan
    ) {
        var commit = plan.commit ?? Commit(currency: settings.currency)
        commit.polls += polls
        commit.alerts.merge(changes.alerts.map { ($0.key, $0.alert) }) { _, last in last }
        commit.events += changes.events
        commit.endedSilences += changes.endedSilences.map { Commit.EndedSilence(id: $0, at: moment) }
        outbox.take(changes.events, after: gap, alerts.identity, at: moment, into: &commit)
        commit.pastNeeded = pastNeeded(at: now)
        plan.commit = commit
    }

    private mutating func log(_ poll: TakenPoll, at started: Date, now: Date, _ plan: inout Plan) {
        guard let place = sources.firstIndex(where: { $0.id == poll.source }) else { return }
        let count = sources[place].count(poll, at: started)
        if count.isLogged {
            if poll.isUsable {
                let day = summary.summary(of: board, at: now)
                plan.log.append(
                    .poll(
                        poll, day, tookMilliseconds: daemon.lastPoll?.tookMilliseconds,
                        failuresBefore: count.failuresBefore))
                if let maxAge = poll.answer?.maxAge, sources[place].mustLog(maxAge: maxAge) {
                    plan.log.append(.maxAge(maxAge, of: poll))
                }
            } else {
                plan.log.append(.failed(poll, count: sources[place].failures.count))
            }
        }
        plan.log += LogLine.moves(poll.update.moves)
    }
}
