import Foundation
import Markets

extension Engine {
    /// Processes one input and returns the work to do. The caller writes the plan's commit first and passes the result
    /// to `settle`.
    package mutating func step(_ input: Input, at now: Moment) -> Plan {
        var plan = Plan()
        notice(now, &plan)
        switch input {
        case .woke: wake(at: now, &plan)
        case .answered(let source, let result): answer(result, of: source, at: now, &plan)
        case .delivered(let delivery): endDelivery(delivery, at: now, &plan)
        case .stated(let answers): endPost(answers, at: now.wall, &plan)
        case .heartbeat(let fault): endHeartbeat(fault, at: now.wall, &plan)
        case .gapRead(let gap):
            cycle?.gap = gap
            if !gap.past.isEmpty { summary.add(past: gap.past, polledBefore: .distantPast) }
        case .changedOutside(let change):
            if let (id, known) = change.installation { alerts.join(known, of: id) }
            if let silences = change.silences { follow(silences) }
            if let remembered = change.backfilled { recall(remembered, &plan) }
        case .backfilled(let remembered):
            chores.isBackfilling = false
            if let remembered { recall(remembered, &plan) }
        case .exported(let result): endExport(result, at: now, &plan)
        case .pruned(let isStillTooLarge, let lost):
            chores.isPruning = false
            endPruning(lost: lost, &plan)
            chores.isStillTooLarge = isStillTooLarge
        case .reload(let settings, let remembered): reload(settings, remembered, at: now, &plan)
        case .rejected(let fault):
            daemon.rejection = fault
            plan.publishChange()
        case .stop: stop(at: now, &plan)
        }
        // A message about an alert that no post has brought to an address waits for the running post.
        choosePosts(at: now.wall, &plan)
        chooseDeliveries(at: now, &plan)
        publishOutbox(&plan)
        chooseExports(at: now, &plan)
        publishExports(at: now, &plan)
        write(&plan, isLast: isOver(at: now))
        plan.nextWake = nextWake(at: now)
        plan.isOver = isOver(at: now)
        return plan
    }

    /// Processes the result of a plan's commit. Log lines and the status are written afterwards.
    package mutating func settle(_ result: CommitResult, of plan: inout Plan) {
        guard let commit = plan.commit else { return }
        recording.stored = result.stored
        for database in result.quarantined { plan.log.append(.quarantined(database)) }
        if !result.quarantined.isEmpty {
            for place in exports.indices { exports[place].startAnew() }
        }
        if let past = result.past, let needed = commit.pastNeeded {
            summary.add(past: past, polledBefore: needed.polled.upperBound)
        }
        recording.fault = result.fault
        if let fault = result.fault {
            recording.unsaved = commit
            recording.unsaved.keepUnsaved()
            cycle?.isRecorded = false
            if !commit.polls.isEmpty, case .polled(let outcome, _) = daemon.ending {
                daemon.ending = .polled(outcome, recorded: false)
            }
            if !recording.isLogged {
                plan.log.append(LogLine(.error, "history.not_recording") { $0.add("message", fault) })
            }
        } else {
            addToExports(commit.polls, at: clock.last.uptime)
            if recording.isLogged { plan.log.append(LogLine(.info, "history.recording")) }
        }
        recording.isLogged = result.fault != nil
        recording.unsaved.logged += plan.loggedEvents
    }

    /// Merges what is unsaved since the last commit into the plan's commit.
    ///
    /// - Parameter isLast: The daemon exits after this step.
    private mutating func write(_ plan: inout Plan, isLast: Bool) {
        var commit = plan.commit ?? Commit()
        if isLast || !commit.isEmpty { writeExports(to: &commit) }
        guard !commit.isEmpty else {
            plan.commit = nil
            recording.unsaved.logged += plan.loggedEvents
            return
        }
        recording.unsaved.add(commit)
        plan.commit = recording.unsaved
        recording.unsaved = Commit()
    }

    /// Logs clock jumps. If the clock was set, shifts the times of queued messages by the same amount.
    private mutating func notice(_ now: Moment, _ plan: inout Plan) {
        for jump in ClockJump.between(clock.last, now) {
            plan.log.append(jump.logLine)
            guard case .set(let step) = jump else { continue }
            outbox.follow(clockSetBy: step)
            if clock.trust == .confirmed { clock.trust = .unproven }
        }
        clock.last = now
    }
}

// MARK: A cycle

extension Engine {
    private mutating func wake(at now: Moment, _ plan: inout Plan) {
        if !daemon.unlogged.isEmpty {
            for event in daemon.unlogged { plan.log(event) }
            daemon.unlogged = []
        }
        if daemon.phase == .starting, settings.once == nil {
            plan.publish = .cycleEnded
            for source in sources {
                let until = nextPoll(of: source, at: now)
                if until > now.wall { logWait(of: source.id, source.serving.feed, until: until, at: now.wall, &plan) }
            }
        }
        guard cycle == nil, daemon.phase == .starting || daemon.phase == .running else { return }
        let due = sources.indices.filter { settings.once != nil || sources[$0].isDue(at: now.uptime) }
        guard !due.isEmpty else { return }
        begin(due, at: now, &plan)
    }

    private mutating func begin(_ due: [Int], at now: Moment, _ plan: inout Plan) {
        let ranking = board.entries.filter { !$0.named }.map(\.market)
        let gapStart = gapStart(before: now.wall)
        let asked = Set(due.map { sources[$0].id })
        cycle = Cycle(started: now.wall, gapStart: gapStart, asked: asked, polling: asked)
        if let gapStart {
            plan.readGap = Plan.GapRequest(
                since: gapStart, longestStep: shortestInterval * 2,
                past: summary.pastNeeded(until: now.wall + readAhead, now: now.wall))
        }
        for place in due {
            let step = sources[place].begin(ranking: ranking, ignoringCooldown: settings.once != nil, at: now)
            perform(step, of: sources[place].id, at: now, &plan)
        }
    }

    private mutating func answer(_ result: PollResult, of id: SourceID, at now: Moment, _ plan: inout Plan) {
        guard let place = sources.firstIndex(where: { $0.id == id }), cycle != nil else { return }
        feeds[result.feed] = FeedState(cooldown: result.cooldown, requests: result.requestsThisMonth, at: now.wall)
        for retry in result.retries { plan.log.append(.retry(retry, of: result.feed)) }
        guard let step = sources[place].proceed(after: result, at: now) else { return }
        perform(step, of: id, at: now, &plan)
    }

    private mutating func perform(_ step: FeedPolling.Step, of id: SourceID, at now: Moment, _ plan: inout Plan) {
        switch step {
        case .ask(let request):
            plan.polls.append(request)
        case .done(let result):
            if let change = result.change { plan.log.append(change) }
            cycle?.polling.remove(id)
            cycle?.ended.append((id, result))
            takePolls(at: now, &plan)
            if cycle?.polling.isEmpty == true { endCycle(at: now, &plan) }
        }
    }

    private mutating func endCycle(at now: Moment, _ plan: inout Plan) {
        guard let cycle else { return }
        if cycle.taken.isEmpty { idle(at: now.wall, &plan) }
        let isRecorded = cycle.isRecorded && (clock.trust != .refuted || recording.fault == nil)
        daemon.ending =
            cycle.taken.isEmpty
            ? .waiting(until: cycle.waitsUntil ?? now.wall + untilNextPoll(at: now.uptime))
            : .polled(daemon.lastPoll?.outcome ?? .failed, recorded: isRecorded)
        if clock.trust == .confirmed { outbox.confirmClock() }
        for place in sources.indices {
            sources[place].adjust(feeds, at: now.wall)
            if cycle.asked.contains(sources[place].id) { sources[place].schedule(at: now.uptime) }
        }
        self.cycle = nil
        for channel in outbox.states.keys { outbox.states[channel]?.isDue = true }
        if clock.trust == .confirmed { sendDigestIfDue(at: now.wall, &plan) }
        if daemon.phase == .starting { daemon.phase = settings.once == nil ? .running : .draining(since: now) }
        plan.publish = .cycleEnded
        if clock.trust != .refuted { pruneIfDue(at: now.wall, &plan) }
    }
}
