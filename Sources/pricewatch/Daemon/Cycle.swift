import Feeds
import Foundation
import History
import Markets

/// One turn of the daemon after the other: ask the provider, take in what is new, judge the rules, write it all in
/// one transaction, then tell of it in log and status file.
actor Cycle {
    let settings: CycleSettings
    let feeds: FailoverFeed
    /// Whom the last poll's outcome is from, before the first the preferred feed.
    private var feedName: String
    let log: EventLog
    let now: @Sendable () -> Date
    private let history: HistoryWriter
    private let publisher: StatusPublisher
    private let housekeeping: Housekeeping
    private let backfilling: Backfilling?
    private var healedBeside: HealedBeside
    /// What the last round healed; nil before the first.
    private(set) var lastHealed: [Healed]?
    private var recordingNews = RecordingNews()
    private var board: MarketBoard
    private var book: AlertBook
    private var day: WindowView
    private var ledger: Ledger
    private var standing: StandingAlerts
    private var failures: FailureCount
    private var lastPoll: StatusReport.LastPoll?
    private var lastUsablePoll: Date?
    /// The first poll that is kept, else the start.
    private let firstAsked: Date
    private var clockFault: String?
    private var clocks: ClockWatch
    private var pace: Pace
    private var maxAgeTold = false
    private var digest: DailyDigest?
    /// When the present turn, or the last one, began; before the first, when that is to begin.
    private var turnStarted: Date
    /// From the last poll before the start to the start, where nobody asked in between.
    private let downtime: Range<Date>?
    private var rejection: String?

    init(
        _ settings: CycleSettings, inheriting legacy: Legacy, feeds: FailoverFeed, history: HistoryWriter,
        publisher: StatusPublisher, log: EventLog, now: @escaping @Sendable () -> Date
    ) throws(HistoryError) {
        self.settings = settings
        self.feeds = feeds
        feedName = settings.feedName
        self.history = history
        self.publisher = publisher
        housekeeping = Housekeeping(history, settings.retention, log: log)
        self.log = log
        self.now = now
        backfilling = Backfilling(
            settings, feeds.members, history, log: log, isOn: legacy.isOfThisProcess)
        let reader = history.reader
        healedBeside = HealedBeside(reader)
        firstAsked = try reader.firstPoll() ?? settings.startedAt
        board = try MarketBoard(remembering: reader, settings)
        if let before = legacy.board, legacy.currency == settings.currency {
            board.takeOver(before)
        } else {
            board.recall(missedAnswers: try reader.missedAnswers(in: settings.currency))
        }
        let started = now()
        book = try AlertBook(
            remembering: legacy.alerts, history, settings, watching: board.markets, now: started)
        let lastPoll = try reader.lastPoll()
        downtime =
            legacy.isOfThisProcess
            ? nil : lastPoll.flatMap { started.since($0) > settings.every * 3 ? $0..<started : nil }
        standing = legacy.standing
        day = try WindowView(reader, settings, now: now())
        ledger = legacy.ledger
        failures = legacy.failures
        self.lastPoll = legacy.lastPoll
        lastUsablePoll = legacy.lastUsablePoll
        clockFault = legacy.clockFault
        clocks = legacy.clocks
        pace = Pace(
            every: settings.every, pages: feeds.members[0].feed.pages(for: settings.watch), quota: settings.quota)
        digest = settings.digest.map { DailyDigest(at: $0.at, in: $0.zone, lookedAt: lastPoll ?? started) }
        // What the configuration before had promised for the next poll holds, so that no status expires for a change.
        firstDelay = Self.delay(
            lastPoll: lastPoll, every: min(settings.every, legacy.interval ?? settings.every), now: started)
        turnStarted = started + firstDelay - settings.every
    }

    /// How long the first poll is to wait: it comes at once, unless the last one is too young for a good guest to ask
    /// again. A restart loop must not ask more often than the daemon would.
    nonisolated let firstDelay: Duration

    static func delay(lastPoll: Date?, every: Duration, now: Date) -> Duration {
        guard let lastPoll else { return .zero }
        let age = now.since(lastPoll)
        guard age >= .zero else { return .zero }
        return max(.zero, min(every, .seconds(60)) - age)
    }

    /// The time between two polls that is in force now.
    var interval: Duration { pace.interval }

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
        await publish(.starting, finished: true)
    }

    /// Tells what was stored before this start and did not get told.
    func tellUntold() {
        for event in ledger.takeUntold() { tell(event) }
    }

    func turn(obeying obedience: WaitObedience = .all) async -> Ending {
        clocks.look(tellingTo: log)
        noticeOthers()
        let started = now()
        turnStarted = started
        let ranking = board.entries.filter { !$0.named }.map(\.market)
        guard let turn = try? await feeds.poll(ranking: ranking, within: settings.deadline, obeying: obedience) else {
            return .interrupted
        }
        let report = turn.report
        feedName = turn.feed
        if let change = turn.change { log.write(change) }
        let ending: Ending
        switch report.outcome {
        case .waiting(_, let until):
            let changes = judge(answered: false, at: now())
            _ = ledger.write(changes.record(at: now()))
            for event in changes.events { tell(event) }
            ending = .waiting(until: until)
        case .failed(let error):
            ending = fail(error, report, started)
        case .answered(let answer):
            ending = take(answer, turn, started)
        }
        pace.adjust(used: await feeds.members[0].feed.requests(in: UTCMonth(started)), now: started)
        tellDigestIfDue()
        await publish(nil, finished: true)
        housekeeping.tidyIfDue(at: now())
        return ending
    }

    func end() async {
        log.write(.info, "service.stopping")
        await publish(.stopping, finished: false)
        await housekeeping.stop()
        await stopHealing()
        // What the last word says is asked of the history while it is open; it is said when all is safe.
        let last = await report(.stopped)
        close()
        publisher.publish(last, finished: false, deadline: settings.deadline)
    }

    /// Waits until the history is tidy, for a process that ends with this poll.
    func tidy() async { await housekeeping.finish() }

    /// What the cycle that goes on under another configuration takes over.
    var legacy: Legacy {
        Legacy(
            alerts: book.standing, standing: standing, ledger: ledger, lastUsablePoll: lastUsablePoll, board: board,
            currency: settings.currency, failures: failures, lastPoll: lastPoll, clockFault: clockFault,
            clocks: clocks, interval: interval)
    }

    /// Ends what heals the past; whoever goes on begins anew.
    func stopHealing() async { await backfilling?.stop() }

    /// The configuration file is bad and the old one goes on.
    func reject(_ fault: String) async {
        rejection = fault
        await publish(nil, finished: false)
    }

    /// Tells what a new configuration has made of the state.
    func showChange() async { await publish(nil, finished: false) }

    func close() {
        do { try history.close() } catch { log.write(.error, "history.unclosed") { $0.add("message", "\(error)") } }
    }
}

// MARK: A turn's three endings

extension Cycle {
    private func take(_ answered: FeedAnswer, _ turn: FailoverFeed.Turn, _ started: Date) -> Ending {
        let report = turn.report
        if let fault = ClockCheck.fault(ours: answered.fetchedAt, theirs: answered.serverDate) {
            clockFault = fault
            return fail(FeedError.empty(of: feedName, fault), report, started)
        }
        clockFault = nil
        let answer = Answer(answered, from: feedName, wanted: settings.watchlist.top, unmapped: turn.unmapped)
        let digest = board.take(answer)
        if digest.outcome == .failed {
            return fail(
                FeedError.empty(of: feedName, digest.explanation), report, started, unknown: digest.unknown,
                answered: true)
        }
        let gap = lastUsablePoll.flatMap { started.since($0) > settings.every * 3 ? $0 : nil }
        lastUsablePoll = started
        let changes = judge(answered: true, at: answer.fetchedAt, watchedUntil: gap)
        day.add(poll: started, reading: history.reader, now: answer.fetchedAt)
        let record = PollRecord(
            at: started, fetchedAt: answer.fetchedAt, feed: feedName, currency: settings.currency,
            outcome: digest.outcome, error: answered.pageError?.label, samples: digest.samples,
            moves: digest.moves, unknown: digest.unknown, watched: board.entries.map(\.market), ranking: answer.ranking,
            alerts: changes.record(at: answer.fetchedAt))
        let recorded = ledger.write(record)
        if recorded { heal(after: gap, at: started) }
        lastPoll = StatusReport.LastPoll(
            at: started, outcome: digest.outcome, feed: feedName, markets: digest.usable,
            tookMilliseconds: Int(now().since(started).inMilliseconds), attempts: report.requests,
            error: digest.outcome == .partial ? pageError(answered, digest) : nil)
        tell(digest, after: failures.reset())
        log.write(digest.moves)
        tellOnce(answered.maxAge)
        for event in changes.events { tell(event) }
        return .polled(digest.outcome, recorded: recorded)
    }

    private func fail(
        _ error: FeedError, _ report: PollReport, _ started: Date,
        unknown: [(market: MarketID, reason: UnknownReason)] = [], answered: Bool = false
    ) -> Ending {
        let ended = now()
        // Under a clock that is wrong, nobody can say how old anything is.
        let changes = clockFault == nil ? judge(answered: answered, at: ended) : AlertBook.Changes()
        let recorded = ledger.write(
            PollRecord(
                at: started, fetchedAt: ended, feed: feedName, currency: settings.currency, outcome: .failed,
                error: error.label, unknown: unknown, alerts: changes.record(at: ended)))
        lastPoll = StatusReport.LastPoll(
            at: started, outcome: .failed, feed: feedName, markets: 0,
            tookMilliseconds: Int(now().since(started).inMilliseconds), attempts: report.requests,
            error: StatusReport.PollError(error))
        if failures.add(at: started) {
            log.write(.warning, "poll.failed") { line in
                line.add("feed", feedName)
                line.add("kind", error.label)
                line.add("count", failures.count)
                line.add("message", error.message)
                line.add("attempts", report.requests)
                line.add("retry_at", error.notBefore?.at)
            }
        }
        for event in changes.events { tell(event) }
        return .polled(.failed, recorded: recorded)
    }

    /// - Parameter answered: Where nobody answered, prices hold and the age of the data alone is judged.
    private func judge(answered: Bool, at moment: Date, watchedUntil: Date? = nil) -> AlertBook.Changes {
        let changes = book.evaluate(
            board,
            at: .init(
                now: moment, longestStep: settings.every * 3, watchedUntil: watchedUntil, answered: answered,
                lastUsableAnswer: lastUsablePoll ?? firstAsked, downtime: downtime, healed: healed(since: watchedUntil))
        )
        standing.take(changes)
        return changes
    }

    /// Commands beside the daemon keep silences in the database, and heal the past.
    private func noticeOthers() {
        // A history that cannot be read leaves all as it was; that is told where it is written.
        let othersWrote = (try? history.changedByOthers()) == true
        if othersWrote, let silences = try? history.reader.silences() { book.silences = silences }
        if healedBeside.isToBeTaken(from: history.reader, othersWrote: othersWrote) { takeInHealed() }
    }

    /// A partial answer says why: the error of the page that failed, else which markets were not there.
    private func pageError(_ answer: FeedAnswer, _ digest: Digest) -> StatusReport.PollError {
        StatusReport.PollError(answer.pageError ?? .empty(of: feedName, digest.explanation))
    }
}

// MARK: The past

extension Cycle {
    /// Has what nobody watched healed beside the polls, at a start and after a gap.
    private func heal(after gap: Date?, at started: Date) {
        if let gap, started.since(gap) > interval * 3 { backfilling?.noteGap() }
        backfilling?.polled(longerThan: interval * 2) { [weak self] in await self?.take(healed: $0) }
    }

    private func take(healed: [Healed]) async {
        lastHealed = healed
        takeInHealed()
        await publish(nil, finished: false)
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
    }

    /// What is healed of a gap already when it ends; nothing where there was none.
    private func healed(since gap: Date?) -> [MarketID: [PastQuote]] {
        guard let gap else { return [:] }
        return (try? history.reader.healedPrices(in: settings.currency, since: gap, until: now())) ?? [:]
    }
}

// MARK: Telling

extension Cycle {
    private func tell(_ digest: Digest, after failed: Int) {
        guard let poll = lastPoll else { return }
        let summary = day.summary(of: board, at: now())
        log.write(.info, "poll.\(digest.outcome.rawValue)") { line in
            line.add("feed", poll.feed)
            line.add("markets", poll.markets)
            line.add("took_ms", poll.tookMilliseconds)
            line.add("up", summary.up)
            line.add("down", summary.down)
            line.add("flat", summary.flat)
            line.add("unknown", summary.unknown)
            if failed > 0 { line.add("after_failures", failed) }
            if let error = poll.error { line.add("message", error.message) }
        }
    }

    /// A provider that says its answers keep longer than we wait is asked all the same: the owner's word counts.
    private func tellOnce(_ maxAge: Duration?) {
        guard !maxAgeTold, let maxAge, maxAge > settings.every else { return }
        maxAgeTold = true
        log.write(.info, "feed.max_age") { line in
            line.add("feed", feedName)
            line.add("max_age", maxAge)
            line.add("every", settings.every)
            line.add("message", "the provider renews its answers less often than they are asked for")
        }
    }

    private func tellDigestIfDue() {
        let moment = now()
        guard digest?.isDue(at: moment) == true else { return }
        let summary = day.summary(of: board, at: moment)
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

    private func publish(_ state: StatusReport.State?, finished: Bool) async {
        publisher.publish(await report(state), finished: finished, deadline: settings.deadline)
    }

    /// - Parameter state: nil: what follows from what is known.
    private func report(_ state: StatusReport.State?) async -> StatusReport {
        recordingNews.tell(history, fault: ledger.fault, to: log)
        let moment = now()
        let changes = board.entries.map { day.change(of: $0, at: moment) }
        var report = StatusReport(
            state: .starting, writtenAt: moment, interval: interval,
            summary: day.summary(of: board, changes, at: moment), history: ledger.stored)
        report.startedAt = settings.startedAt
        let wait = await feeds.serving.waitInForce()?.until
        report.nextPollAt = [turnStarted + interval, wait, moment].compactMap { $0 }.max()
        report.lastPoll = lastPoll
        report.lastUsablePoll = lastUsablePoll
        report.consecutiveFailures = failures.count
        for member in feeds.members {
            report.feeds.append(await StatusReport.Feed(member.feed, of: feeds, pace, settings.quotas, at: moment))
        }
        report.list(board, changes, currency: settings.currency, at: moment)
        report.firing = standing.firing
        report.pending = standing.pending
        report.silences = book.silences.filter { $0.until > moment }
        report.reasons = StatusReasons.of(
            board, failures: failures.count, lastError: lastPoll?.error, wait: wait,
            standby: await feeds.isStandby ? await feeds.serving.name : nil, preferred: settings.feedName, pace: pace,
            recording: ledger.fault, replaced: history.replacedDatabases(), log: publisher.logFault,
            clock: clockFault, rejection: rejection, at: moment)
        report.state = state ?? StatusReasons.state(of: board, reasons: report.reasons, at: moment)
        return report
    }
}
