import Engine
import Feeds
import Foundation
import History
import Markets

/// One turn of the daemon after the other: ask the providers, take in what is new, judge the rules, write it all in
/// one transaction with the messages of it, then tell of it in log and status file and have them sent.
actor Cycle {
    let settings: CycleSettings
    private var lanes: Lanes
    let log: EventLog
    let now: @Sendable () -> Date
    private let history: HistoryWriter
    private let publisher: StatusPublisher
    private let housekeeping: Housekeeping
    private let sender: Sender
    private let heartbeat: Heartbeat?
    private let backfilling: Backfilling?
    private var healedBeside: HealedBeside
    private var recordingNews: RecordingNews
    private var board: MarketBoard
    private var book: AlertBook
    private var day: WindowView
    private var ledger: Ledger
    private var composer: Composer
    private var standing: StandingAlerts
    private var health: [Lane: LaneHealth]
    private var lastPoll: StatusReport.LastPoll?
    private var clocks: ClockWatch
    private var digest: DailyDigest?
    /// From the last turn before the start to the start, where nobody was there in between.
    private let downtime: Range<Date>?
    private var rejection: String?
    private var phase: Phase
    /// Reports are written one after the other, in the order in which they were asked for.
    private var publishing: Task<Void, Never>?

    enum Phase {
        /// No turn has ended yet.
        case starting
        case running, stopping
        /// It has ended, or another goes on under a new configuration: it publishes nothing more.
        case over
    }

    init(
        _ settings: CycleSettings, inheriting legacy: Legacy, lanes: Lanes, history: HistoryWriter, sender: Sender,
        heartbeat: Heartbeat?, publisher: StatusPublisher, log: EventLog, now: @escaping @Sendable () -> Date
    ) throws(HistoryError) {
        self.settings = settings
        self.lanes = lanes
        self.history = history
        self.sender = sender
        self.heartbeat = heartbeat
        self.publisher = publisher
        housekeeping = Housekeeping(history, settings.retention, log: log)
        self.log = log
        self.now = now
        backfilling = Backfilling(
            settings, lanes.feeds, history, log: log, isOn: legacy.isOfThisProcess)
        let reader = history.reader
        healedBeside = HealedBeside(reader)
        board = try MarketBoard(remembering: reader, settings)
        if let before = legacy.board, legacy.currency == settings.currency {
            board.takeOver(before)
        } else {
            for plan in settings.lanes {
                board.recall(
                    missedAnswers: try reader.missedAnswers(
                        in: settings.currency, of: plan.lane, riding: plan.ridesAlong))
                board.recall(
                    heard: try reader.lastHeard(in: settings.currency, of: plan.lane, riding: plan.ridesAlong),
                    of: plan.lane)
            }
        }
        let started = now()
        book = try AlertBook(
            remembering: legacy.alerts, history, settings, watching: board.markets, now: started)
        let lastTurn = try reader.lastTurn()
        downtime =
            legacy.isOfThisProcess
            ? legacy.downtime
            : Downtime.between(lastTurn, settings.startedAt, longerThan: lanes.interval * 3)
        standing = legacy.standing
        composer = Composer(settings.routing, identity: book.identity, told: legacy.told)
        phase = legacy.phase
        recordingNews = legacy.recordingNews
        // That it cannot be noted is told where the polls cannot be written.
        if legacy.isOfThisProcess { try? history.noteRecall(at: started) }
        day = try WindowView(reader, settings, now: now())
        ledger = legacy.ledger
        health = try LaneHealth.ofAll(settings, inheriting: legacy, reader, now: started)
        self.lastPoll = legacy.lastPoll
        clocks = legacy.clocks
        digest = settings.digest.map {
            DailyDigest(at: $0.at, in: $0.zone, lookedAt: legacy.digested ?? min(lastTurn ?? started, started))
        }
        try self.lanes.begin { line throws(HistoryError) in
            try legacy.delay(of: line, lastPoll: reader.lastPoll(of: line.plan.lane), now: started)
        }
        firstDelay = self.lanes.untilNext
    }

    /// How long the first poll is to wait.
    nonisolated let firstDelay: Duration

    /// The shortest time between two polls that is in force now.
    var interval: Duration { lanes.interval }

    /// Somebody is to be asked now.
    var isDue: Bool { untilNext == .zero }

    /// How long the next poll is to wait.
    var untilNext: Duration { lanes.untilNext }

    /// How a turn ended, for `run --once` and for the beat.
    enum Ending {
        case polled(PollOutcome, recorded: Bool)
        case waiting(until: Date)
        case interrupted
    }

    /// Tells what is known before the first answer.
    func begin() async {
        housekeeping.begin()
        backfilling?.begin()
        tellUntold()
        await publish(finished: true)
    }

    /// Tells what was stored before this start and did not get told.
    func tellUntold() {
        for event in ledger.takeUntold() { tell(event) }
    }

    func turn(obeying obedience: WaitObedience = .all) async -> Ending {
        clocks.look(tellingTo: log)
        noticeOthers()
        ledger.settled(await sender.takeUnwritten())
        let due = lanes.due(obeying: obedience)
        let ranking = board.entries.filter { !$0.named }.map(\.market)
        var turn = RunningTurn(at: now(), endsGap: gapStart(before: now()) != nil)
        let isWhole = await Lanes.ask(due, ranking: ranking, obeying: obedience) { poll, isLast in
            if let change = poll.turn.change { log.write(change) }
            let results = turn.take(poll, isLast: isLast, into: &board, wanted: settings.watchlist.top)
            guard !results.isEmpty else { return }
            take(results, in: &turn)
            if !isLast { await tellSoFar() }
        }
        guard isWhole else { return .interrupted }
        let ending = turn.ending(lastPoll) ?? wait(until: turn.waitsUntil)
        if clocks.trust == .confirmed { await sender.clockIsRight() }
        lanes.advance(
            due, serving: await Lanes.serving(lanes.lines),
            used: await Lanes.requests(lanes.lines, in: UTCMonth(turn.started)), now: turn.started)
        if clocks.trust == .confirmed { tellDigestIfDue() }
        await send()
        if phase == .starting { phase = .running }
        await publish(finished: true)
        if clocks.trust != .refuted { housekeeping.tidyIfDue(at: now()) }
        return ending
    }

    /// What came of those who answered is not kept back for those who hang.
    private func tellSoFar() async {
        await send()
        await showChange()
    }

    private func send() async { await sender.take(ledger.takeOutgoing(), areStored: ledger.fault == nil) }

    func end() async {
        log.write(.info, "service.stopping")
        phase = .stopping
        await publish(finished: false)
        heartbeat?.stop()
        await housekeeping.stop()
        await stopHealing()
        // What the last word says is asked of the history while it is open; it is said when all is safe.
        let (feeds, outbox) = await gather()
        phase = .over
        let last = report(feeds, outbox)
        close()
        publisher.publish(last, finished: false, deadline: settings.deadline)
    }

    /// Waits for what goes on beside the poll, for a process that ends with it.
    func tidy() async {
        await housekeeping.finish()
        await heartbeat?.finish()
    }

    /// What the cycle that goes on under another configuration takes over.
    var legacy: Legacy {
        Legacy(
            alerts: book.standing, standing: standing, ledger: ledger, told: composer.told, digested: digest?.lookedAt,
            board: board, currency: settings.currency, health: health, lastPoll: lastPoll, phase: phase,
            recordingNews: recordingNews, clocks: clocks, downtime: downtime, heartbeat: heartbeat,
            awaited: Dictionary(
                lanes.lines.map {
                    (
                        $0.plan.lane,
                        Legacy.Awaited(plan: $0.plan, feeds: $0.feeds, delay: lanes.until($0), step: $0.step)
                    )
                },
                uniquingKeysWith: { first, _ in first }))
    }

    /// Another goes on under a new configuration.
    func handOver() async {
        phase = .over
        await stopHealing()
    }

    private func stopHealing() async { await backfilling?.stop() }

    /// The configuration file is bad and the old one goes on.
    func reject(_ fault: String) async {
        rejection = fault
        await publish(finished: false)
    }

    /// Tells what has become of the state since the last turn.
    func showChange() async { await publish(finished: false) }

    func close() {
        do { try history.close() } catch { log.write(.error, "history.unclosed") { $0.add("message", "\(error)") } }
    }
}

// MARK: A turn's endings

extension Cycle {
    private func take(_ results: [LaneResult], in turn: inout RunningTurn) {
        let started = turn.started
        let watchedUntil = gapStart(before: started)
        clocks.hear(turn.clock)
        let gaps = note(results, started)
        let ended = now()
        let answered = results.compactMap(\.answeredAt).max()
        let changes =
            // A wrong clock gives no ages.
            clocks.trust == .refuted
            ? AlertBook.Changes() : judge(answered: results.filter(\.isAnswered), gaps, at: answered ?? ended)
        let usable = results.filter(\.isUsable).intervals
        if !usable.isEmpty { day.add(poll: started, of: usable, reading: history.reader, now: answered ?? ended) }
        let recorded = record(
            results.filter { $0.clockFault == nil }.map {
                $0.record(settings.currency, at: started, ended: ended, watching: board)
            },
            composer.record(
                changes, at: answered ?? ended,
                after: gaps.isEmpty ? nil : gap(from: watchedUntil, to: started)))
        turn.note(recorded: recorded)
        lastPoll = turn.lastPoll(settings.lanes, ended: now())
        if recorded, !usable.isEmpty { heal(after: gaps.values.min()) }
        for result in results {
            tell(result, started)
            log.write(result.digest.moves)
        }
        if !usable.isEmpty { heartbeat?.beat(at: ended, log) }
        for event in changes.events { tell(event) }
    }

    /// Writes nothing under a wrong clock: rows with a time ahead would remain the newest until that time. True where
    /// all was written.
    private func record(_ polls: [PollRecord], _ changes: AlertRecord) -> Bool {
        if clocks.trust == .refuted { return ledger.fault == nil }
        return polls.isEmpty ? ledger.write(changes) : ledger.write(polls, changes)
    }

    /// Nobody was asked.
    private func wait(until named: Date?) -> Ending {
        let moment = now()
        guard clocks.trust != .refuted else { return .waiting(until: named ?? moment + untilNext) }
        let changes = judge(answered: [], [:], at: moment)
        _ = ledger.write(
            WaitRecord(
                at: moment, currency: settings.currency, watched: board.markets, named: board.named,
                alerts: composer.record(changes, at: moment)))
        for event in changes.events { tell(event) }
        return .waiting(until: named ?? now() + untilNext)
    }

    /// Takes note of how the lanes' polls went; returns the last poll before the gap that each of them ends.
    private func note(_ results: [LaneResult], _ started: Date) -> [Lane: Date] {
        var gaps: [Lane: Date] = [:]
        for result in results {
            for lane in result.lanes {
                if result.isUsable, let last = health[lane]?.lastUsable, started.since(last) > result.interval * 3 {
                    gaps[lane] = last
                }
                health[lane]?.take(result, at: started)
            }
        }
        return gaps
    }

    /// When the newest poll began that brought prices.
    private var lastUsablePoll: Date? { health.values.compactMap(\.lastUsable).max() }

    /// - Parameter answered: Where nobody answered, prices hold and the age of the data alone is judged.
    private func judge(answered: [LaneResult], _ gaps: [Lane: Date], at moment: Date) -> AlertBook.Changes {
        let changes = book.evaluate(
            board,
            at: .init(
                settings, at: moment, answered: Set(answered.flatMap(\.lanes)), gaps: gaps, downtime: downtime,
                interval: lanes.step(of:), healed: { healed(since: $0, until: moment) },
                silentSince: { health[$0]?.silentSince }))
        standing.take(changes)
        return changes
    }

    /// Commands beside the daemon keep silences in the database, and heal the past.
    private func noticeOthers() {
        if history.installation != book.identity.installation, let known = try? history.reader.alerts() {
            book.meet(known, of: history.installation)
            composer.identity = book.identity
        }
        // A history that cannot be read leaves all as it was; that is told where it is written.
        let othersWrote = (try? history.changedByOthers()) == true
        if othersWrote, let silences = try? history.reader.silences() { book.silences = silences }
        if healedBeside.isToBeTaken(from: history.reader, othersWrote: othersWrote) { takeInHealed() }
    }
}

// MARK: The past

extension Cycle {
    /// Has what nobody watched healed beside the polls, at a start and after a gap.
    private func heal(after gap: Date?) {
        if gap != nil { backfilling?.noteGap() }
        backfilling?.polled(longerThan: interval * 2) { [weak self] in await self?.showHealed() }
    }

    private func showHealed() async {
        takeInHealed()
        await publish(finished: false)
    }

    /// What was healed counts from now on in windows and changes. No alert moves before the next poll.
    private func takeInHealed() {
        let (moment, reader) = (now(), history.reader)
        guard ledger.fault == nil, let day = try? WindowView(reader, settings, now: moment),
            let book = try? AlertBook(
                remembering: book.standing, history, settings, watching: board.markets, now: moment)
        else { return }
        self.day = day
        self.book = book
        healedBeside.takeIn(reader)
        try? history.noteRecall(at: moment)
    }

    /// The last poll before a time in which nothing was watched, where that is worth a message.
    private func gapStart(before started: Date) -> Date? {
        guard settings.tellsOfGaps, let last = lastUsablePoll, started.since(last) > lanes.shortestStep * 3 else {
            return nil
        }
        return last
    }

    private func gap(from last: Date?, to started: Date) -> Gap? {
        guard let last else { return nil }
        let healed = healed(since: last, until: started).values.reduce(0) { $0 + $1.count }
        let healing = backfilling?.healable(since: last, longerThan: interval * 2) ?? []
        return Gap(from: last, to: started, healed: healed, healing: healing)
    }

    /// What is healed of a gap already when it ends.
    private func healed(since gap: Date, until end: Date) -> [MarketID: [PastQuote]] {
        (try? history.reader.healedPrices(in: settings.currency, since: gap, until: end)) ?? [:]
    }
}

// MARK: Telling

extension Cycle {
    private func tell(_ result: LaneResult, _ started: Date) {
        let counts = result.lanes.compactMap { health[$0]?.count(result, at: started) }
        guard let count = counts.first, count.isTold else { return }
        guard result.isUsable else {
            return log.write(.warning, "poll.failed") { line in
                line.add("feed", result.feed)
                line.add("kind", result.error?.label)
                line.add("count", health[result.plan.lane]?.failures.count)
                line.add("message", result.error?.message)
                line.add("attempts", result.requests)
                line.add("retry_at", result.error?.notBefore?.at)
            }
        }
        let summary = day.summary(of: board, at: now())
        log.write(.info, "poll.\(result.digest.outcome.rawValue)") { line in
            line.add("feed", result.feed)
            line.add("markets", result.digest.usable)
            line.add("took_ms", lastPoll?.tookMilliseconds)
            line.add("up", summary.up)
            line.add("down", summary.down)
            line.add("flat", summary.flat)
            line.add("unknown", summary.unknown)
            if count.failuresBefore > 0 { line.add("after_failures", count.failuresBefore) }
            line.add("message", result.error?.message)
        }
        tellMaxAge(of: result)
    }

    private func tellMaxAge(of result: LaneResult) {
        let lane = result.plan.lane
        guard let maxAge = result.maxAge, health[lane]?.mustTell(maxAge: maxAge, every: result.interval) == true else {
            return
        }
        log.write(.info, "feed.max_age") { line in
            line.add("feed", result.feed)
            line.add("max_age", maxAge)
            line.add("every", result.interval)
            line.add("message", "the provider renews its answers less often than they are asked for")
        }
    }

    private func tellDigestIfDue() {
        let moment = now()
        guard let due = digest?.due(at: moment) else { return }
        let summary = day.summary(of: board, at: moment)
        _ = ledger.write(AlertRecord(messages: composer.digest(summary, due: due, at: moment), digest: due))
        log.write(.info, "summary.24h") { line in
            line.add("up", summary.up)
            line.add("down", summary.down)
            line.add("flat", summary.flat)
            line.add("unknown", summary.unknown)
            line.add("coverage_percent", summary.coverage)
            line.add("gainers", SummaryView.list(summary.gainers))
            line.add("losers", SummaryView.list(summary.losers))
        }
    }

    private func tell(_ event: AlertEvent) {
        log.write(event)
        ledger.logged(event)
    }

    private func publish(finished: Bool) async {
        let before = publishing
        let task = Task {
            await before?.value
            let (feeds, outbox) = await gather()
            // Nothing is awaited from here on: all parts of a report are of one moment.
            guard phase != .over else { return }
            publisher.publish(report(feeds, outbox), finished: finished, deadline: settings.deadline)
        }
        publishing = task
        await task.value
    }

    /// What a report needs of other actors.
    private func gather() async -> (FeedStates, Sender.Report) {
        (await FeedStates(lanes, at: now()), await sender.report)
    }

    private func report(_ feeds: FeedStates, _ outbox: Sender.Report) -> StatusReport {
        recordingNews.tell(history, fault: ledger.fault, to: log)
        let moment = now()
        let changes = board.entries.map { day.change(of: $0, at: moment) }
        var report = StatusReport(
            state: .starting, writtenAt: moment, interval: interval,
            summary: day.summary(of: board, changes, at: moment), history: ledger.stored)
        report.startedAt = settings.startedAt
        report.nextPollAt = lanes.nextPoll(feeds, at: moment)
        report.lastPoll = lastPoll
        report.lastUsablePoll = lastUsablePoll
        report.consecutiveFailures = health.values.map(\.failures.count).max() ?? 0
        report.feeds = StatusReport.Feed.list(lanes, feeds, settings.feeds)
        report.list(board, changes, currency: settings.currency, at: moment)
        report.firing = standing.firing
        report.pending = standing.pending
        report.silences = book.silences.filter { $0.until > moment }
        report.outbox = outbox
        report.reasons = StatusReasons.of(
            board, lanes: lanes.standings(feeds, health), recording: ledger.fault,
            replaced: history.replacedDatabases(), log: publisher.logFault, channels: report.outbox.faults,
            rejection: rejection, at: moment)
        report.state =
            switch phase {
            case .starting: .starting
            case .running: StatusReasons.state(of: board, reasons: report.reasons, at: moment)
            case .stopping: .stopping
            case .over: .stopped
            }
        return report
    }
}
