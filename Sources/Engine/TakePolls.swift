import Foundation
import Markets

extension Engine {
    /// Processes the polls that have ended: updates the board, evaluates the rules, adds to the commit. After a gap all
    /// sources are processed together; otherwise answered sources do not wait for slow ones.
    mutating func takePolls(at now: Moment, _ plan: inout Plan) {
        guard var cycle, cycle.gapStart == nil || cycle.polling.isEmpty else { return }
        let started = cycle.started
        for (id, result) in cycle.ended {
            guard let until = result.result.waitsUntil else { continue }
            cycle.waitsUntil = min(cycle.waitsUntil ?? until, until)
            logWait(of: id, result.result.feed, until: until, at: now.wall, &plan)
        }
        let polls = cycle.ended.compactMap { id, result in apply(result, of: id, at: started) }
        cycle.ended = []
        cycle.taken += polls
        self.cycle = cycle
        guard !polls.isEmpty else { return }
        clock.trust = cycle.clock ?? clock.trust
        daemon.lastPoll = sources.compactMap { source in cycle.taken.first { $0.source == source.id } }
            .lastPoll(at: started, ended: now.wall)
        let usable = polls.filter(\.isUsable)
        let moment = polls.answeredAt ?? now.wall
        var changes = AlertBook.Changes()
        // A wrong clock gives wrong ages, and a price recorded with a future time would stay the newest until then.
        let isTrusted = clock.trust != .refuted
        if isTrusted { changes = judge(polls, cycle.gap, at: moment) }
        for poll in usable { summary.cover(poll.source, at: started, interval: poll.interval) }
        if !usable.isEmpty { summary.forget(at: moment) }
        if isTrusted {
            let records = polls.filter { $0.clockFault == nil }
                .map { $0.record(at: started, ended: now.wall, watching: board) }
            let endsGap = polls.contains { $0.gapStart != nil }
            record(records, changes, after: endsGap ? gap(of: cycle) : nil, at: moment, now: now.wall, &plan)
            if !usable.isEmpty { backfillIfDue(after: polls, &plan) }
        }
        for poll in polls { log(poll, at: started, now: now.wall, &plan) }
        if !usable.isEmpty { sendHeartbeatIfDue(at: now.wall, &plan) }
        for event in changes.events { plan.log(event) }
        plan.publishChange()
    }

    /// Processes a cycle in which no feed could be polled: evaluates only rules on the age of the data.
    mutating func idle(at now: Date, _ plan: inout Plan) {
        guard clock.trust != .refuted else { return }
        let changes = judge([], GapReading(), at: now)
        record([], changes, after: nil, at: now, now: now, &plan)
        plan.commit?.idleCycle = (
            at: now, watched: board.watched
        )
        for event in changes.events { plan.log(event) }
    }

    /// Applies the result of a source's poll to the board and the source. Nil if nothing was asked because of a
    /// cooldown.
    private mutating func apply(_ result: SourceResult, of id: SourceID, at started: Date) -> TakenPoll? {
        guard let place = sources.firstIndex(where: { $0.id == id }),
            let poll = TakenPoll(result, of: sources[place], at: started, into: &board)
        else { return nil }
        sources[place].end(poll, at: started)
        for market in board.revalued { summary.forget(market) }
        return poll
    }

    private mutating func judge(_ polls: [TakenPoll], _ reading: GapReading, at moment: Date) -> AlertBook.Changes {
        var contexts: [SourceID: AlertBook.SourceContext] = [:]
        for source in sources {
            let poll = polls.first { $0.source == source.id }
            var context = AlertBook.SourceContext(
                interval: source.step, watchedUntil: poll?.gapStart, answered: poll?.answer != nil,
                lastUsableAnswer: source.silentSince)
            if let gap = poll?.gapStart {
                context.backfilled = reading.backfilled.mapValues { quotes in
                    quotes.filter { $0.quotedAt >= gap && $0.quotedAt < moment }
                }
            }
            contexts[source.id] = context
        }
        let changes = alerts.evaluate(
            board, at: AlertBook.Context(now: moment, sources: contexts, downtime: daemon.downtime))
        active.update(with: changes, at: moment)
        return changes
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
        var commit = plan.commit ?? Commit()
        commit.polls += polls
        commit.alerts.merge(changes.alerts.map { ($0.key, $0.alert) }) { _, last in last }
        commit.events += changes.events
        commit.endedSilences += changes.endedSilences.map { (id: $0, at: moment) }
        outbox.queue(changes.events, after: gap, alerts.identity, at: moment, into: &commit)
        commit.pastNeeded = pastNeeded(at: now).map { ($0, board.currencies) }
        plan.commit = commit
    }

    /// Logs a wait once, when it is met: at the start, or in the first cycle that asks nothing because of it.
    mutating func logWait(of id: SourceID, _ feed: String, until: Date, at now: Date, _ plan: inout Plan) {
        guard let place = sources.firstIndex(where: { $0.id == id }), sources[place].mustLog(waitUntil: until) else {
            return
        }
        plan.log.append(.waiting(feed, until: until, feeds[feed]?.cooldown(at: now)))
    }

    private mutating func log(_ poll: TakenPoll, at started: Date, now: Date, _ plan: inout Plan) {
        guard let place = sources.firstIndex(where: { $0.id == poll.source }) else { return }
        if poll.isUsable {
            let failuresBefore = sources[place].failures.reset()
            plan.log.append(
                .poll(
                    poll, summary.summary(of: board, at: now), tookMilliseconds: daemon.lastPoll?.tookMilliseconds,
                    failuresBefore: failuresBefore))
            if let maxAge = poll.answer?.maxAge, sources[place].mustLog(maxAge: maxAge) {
                plan.log.append(.maxAge(maxAge, of: poll))
            }
        } else if sources[place].failures.add(at: started) {
            plan.log.append(.failed(poll, count: sources[place].failures.count))
        }
        plan.log += LogLine.moves(poll.update.moves)
    }
}

extension [TakenPoll] {
    /// When the last answer was complete; nil if there was none.
    fileprivate var answeredAt: Date? { compactMap { $0.answer?.fetchedAt }.max() }
}

// MARK: Replay

/// Replays recorded polls through the live code without recording them again.
extension Engine {
    /// One recorded poll and the poll interval in force at the time (zero: as configured).
    package typealias RecordedAnswer = (source: SourceID, result: PollResult, interval: Duration)

    /// Replays the polls of one cycle. Returns the rules' events.
    package mutating func play(_ answers: [RecordedAnswer], at started: Date) -> [AlertEvent] {
        // After a gap all sources are processed together.
        if answers.count > 1, gapStart(before: started) == nil {
            return answers.flatMap { play([$0], at: started) }
        }
        var polls: [TakenPoll] = []
        for answer in answers {
            guard let place = sources.firstIndex(where: { $0.id == answer.source }) else { continue }
            sources[place].step = max(sources[place].settings.every, answer.interval)
            let result = SourceResult(result: answer.result)
            if let poll = apply(result, of: answer.source, at: started) { polls.append(poll) }
        }
        return polls.isEmpty ? [] : judge(polls, GapReading(), at: polls.answeredAt ?? started).events
    }

    /// Replays a cycle in which no feed could be polled.
    package mutating func playIdleCycle(at moment: Date) -> [AlertEvent] {
        judge([], GapReading(), at: moment).events
    }

    /// Replays the backfilled prices of one moment as if a poll had returned them.
    package mutating func play(backfilled quotes: [Quote], from feed: String, at moment: Date) -> [AlertEvent] {
        let markets = board.apply(backfilled: quotes, from: feed)
        return markets.isEmpty ? [] : alerts.evaluate(backfilled: markets, on: board, at: moment).events
    }

    package mutating func watch(_ watchlist: Watchlist) { board.watch(watchlist) }

    /// Resets latched `once` rules: polls before the rehearsed period are replayed only to fill the windows.
    package mutating func forgetLatches() { alerts.forgetLatched() }
}
