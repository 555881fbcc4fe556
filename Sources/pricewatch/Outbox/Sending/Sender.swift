import Feeds
import Foundation
import History
import Markets

/// Sends what the outbox holds, beside the polls: asleep until something is due, and never in anybody's way.
///
/// The database is the outbox; what it could not take down is sent from memory.
actor Sender {
    private let history: HistoryWriter
    private let time: any TimeSource
    private let random: @Sendable () -> Double
    private var log: EventLog
    private var channels: [String: any Channel] = [:]
    private var configured: [Configuration.Channel] = []
    private var lineup: Lineup
    /// The clocks when they were last looked at.
    private var clocks: (wall: Date, uptime: Duration)
    private var deliveries: [String: Task<Void, Never>] = [:]
    private var alarm: (moment: Date, task: Task<Void, Never>)?
    private var unstored = UnstoredMessages()
    private var phase = Phase.asleep
    private var waiters: [Waiter] = []
    /// Whom to tell that the status is another one.
    private var listener: (@Sendable () async -> Void)?
    private var toldFaults: [ChannelFault] = []

    private enum Phase { case asleep, sending, stopping, cut }

    private struct Waiter {
        var deadline: Date
        var continuation: CheckedContinuation<Void, Never>
    }

    /// How long deliveries may go on after the stop.
    static let grace = Duration.seconds(2)

    init(
        _ history: HistoryWriter, queued: [QueuedMessage], log: EventLog, time: any TimeSource,
        backoff: Backoff = Backoff(), random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.history = history
        self.log = log
        self.time = time
        self.random = random
        lineup = Lineup(backoff: backoff)
        clocks = (time.now(), time.uptime())
        for message in queued { lineup.add(message, isRecalled: true) }
    }

    /// Goes by this configuration from now on. Deliveries under way end as they began.
    func become(
        _ channels: [Configuration.Channel], _ terms: [ChannelTerms], log: EventLog,
        made: @Sendable (Configuration.Channel) -> any Channel
    ) {
        self.log = log
        let known = Set(configured.map(\.name))
        let new = channels.filter { !configured.contains($0) }
        for channel in new { self.channels[channel.name] = made(channel) }
        configured = channels
        lineup.become(terms, changed: known.intersection(new.map(\.name)))
        advance()
    }

    func tellOfChanges(_ listener: @escaping @Sendable () async -> Void) { self.listener = listener }

    /// Begins with what an earlier daemon left.
    func begin() {
        guard phase == .asleep else { return }
        phase = .sending
        advance()
    }

    /// Takes over the messages of a turn.
    ///
    /// - Parameter areStored: False where the database could not be written; true where all it missed before is in it, too.
    func take(_ messages: [OutgoingMessage], areStored: Bool) {
        unstored.take(messages, areStored: areStored)
        followClock()
        for message in messages { lineup.add(message.queued) }
        advance()
    }

    /// A provider agrees with our clock: what an earlier daemon left is as old as it seems.
    func clockIsRight() {
        lineup.clockIsRight()
        advance()
    }

    /// Where the wall clock was set, forward or back, what waits is no older, and waits no longer, than before. To be
    /// called before anything goes by the new time.
    private func followClock() {
        let (wall, uptime) = (time.now(), time.uptime())
        let step = wall.since(clocks.wall) - (uptime - clocks.uptime)
        if step >= ClockJump.least || step <= .zero - ClockJump.least { lineup.follow(clockSetBy: step) }
        clocks = (wall, uptime)
    }

    /// Messages that wait no longer, which the database could not be told: to be written with the next turn.
    func takeUnwritten() -> [String] { unstored.takeSettled() }

    var report: Report { Report(size: lineup.size, faults: lineup.faults) }

    /// What the status says of it.
    struct Report: Hashable, Sendable {
        var size = OutboxSize(queued: 0, oldest: nil)
        var faults: [ChannelFault] = []
    }

    /// Waits until nothing is under way and nothing comes due within `horizon`, but not longer than `limit`.
    func rest(dueWithin horizon: Duration = .zero, atMost limit: Duration = .minutes(1)) async {
        let deadline = time.now() + horizon
        let giveUp = Task {
            try? await time.sleep(for: limit)
            if !Task.isCancelled { resumeWaiters { _ in true } }
        }
        await withCheckedContinuation { continuation in
            waiters.append(Waiter(deadline: deadline, continuation: continuation))
            // What is due at this moment is begun before it is asked what else there is to wait for.
            if phase == .sending { advance() } else { resumeWaiters(at: time.now()) }
        }
        giveUp.cancel()
    }

    /// Nothing new is sent. What is under way has until `grace` is over; what is not delivered stays queued.
    func stop(within grace: Duration = Sender.grace) async {
        if phase != .cut { phase = .stopping }
        alarm?.task.cancel()
        alarm = nil
        let cutting = Task {
            try? await time.sleep(for: grace)
            if !Task.isCancelled { cut() }
        }
        for delivery in deliveries.values { await delivery.value }
        cutting.cancel()
        resumeWaiters { _ in true }
    }

    private func cut() {
        phase = .cut
        for delivery in deliveries.values { delivery.cancel() }
    }
}

// MARK: One step

extension Sender {
    /// Does what is due, and sets the alarm for what comes next.
    func advance() {
        guard phase == .sending else { return }
        followClock()
        // One moment for all: what is not yet due when it is asked for must still lie ahead when the alarm is set, and
        // when it is asked whether anything is left to wait for.
        var now = time.now()
        while let action = lineup.next(at: now) {
            perform(action)
            now = time.now()
        }
        setAlarm(at: now)
        resumeWaiters(at: now)
    }

    private func perform(_ action: Lineup.Action) {
        switch action {
        case .send(let message): send(message)
        case .drop(let message, let reason):
            settle(message)
            log.dropped(message, reason)
            tellListener()
        case .release(let held, let whole): release(held, as: whole)
        }
    }

    private func setAlarm(at now: Date) {
        let next = lineup.nextMoment(after: now)
        guard next != alarm?.moment else { return }
        alarm?.task.cancel()
        alarm = next.map { moment in
            let task = Task { [weak self, time] in
                try? await time.sleep(for: moment.since(now))
                if !Task.isCancelled { await self?.ring() }
            }
            return (moment, task)
        }
    }

    private func ring() {
        alarm = nil
        advance()
    }

    private func resumeWaiters(at now: Date) {
        guard !waiters.isEmpty, lineup.isIdle else { return }
        let next = phase == .sending ? lineup.nextMoment(after: now) : nil
        resumeWaiters { waiter in next.map { $0 > waiter.deadline } ?? true }
    }

    private func resumeWaiters(where isDone: (Waiter) -> Bool) {
        let done = waiters.filter(isDone)
        waiters.removeAll(where: isDone)
        for waiter in done { waiter.continuation.resume() }
    }

    /// The status changes with what waits, and with who does not deliver.
    private func tellListener() {
        let faults = lineup.faults
        guard let listener, lineup.size.queued == 0 || faults != toldFaults else { return }
        toldFaults = faults
        Task { await listener() }
    }
}

// MARK: A message's way

extension Sender {
    private func send(_ queued: QueuedMessage) {
        guard let channel = channels[queued.channel] else { return end(queued, .lost, nil, since: time.uptime()) }
        let began = time.uptime()
        do {
            guard let contents = try unstored.contents(of: queued.id) ?? history.reader.contents(ofMessage: queued.id),
                let message = Message(queued.id, contents)
            else { return end(queued, .lost, nil, since: began) }
            deliveries[queued.id] = Task {
                let result: Result<Receipt, DeliveryError>
                do throws(DeliveryError) {
                    result = .success(try await channel.deliver(message))
                } catch {
                    result = .failure(error)
                }
                deliveries[queued.id] = nil
                end(queued, result, since: began)
                advance()
            }
        } catch {
            end(queued, .failed(cause: "\(error)", retryAfter: nil), nil, since: began)
        }
    }

    private func end(_ queued: QueuedMessage, _ result: Result<Receipt, DeliveryError>, since began: Duration) {
        switch result {
        case .success(let receipt): end(queued, .delivered, receipt, since: began)
        case .failure where phase == .cut: end(queued, .interrupted, nil, since: began)
        case .failure(let error) where error.isPermanent:
            end(queued, .refused(cause: error.description), nil, since: began)
        case .failure(let error):
            end(queued, .failed(cause: error.description, retryAfter: error.retryAfter), nil, since: began)
        }
    }

    private func end(_ queued: QueuedMessage, _ outcome: Lineup.Outcome, _ receipt: Receipt?, since began: Duration) {
        followClock()
        switch lineup.finish(queued, outcome, at: time.now(), random: random()) {
        case .kept: return
        case .done:
            settle(queued)
            log.sent(queued, receipt, took: time.uptime() - began)
        case .dropped(let reason):
            settle(queued)
            log.dropped(queued, reason, cause: outcome.cause)
        case .postponed(let later):
            if let until = later.notBefore {
                // The database forgets a wait that it cannot note; whoever starts anew tries at once.
                try? history.postpone(later.id, attempts: later.attempts, until: until, error: later.lastError)
            }
            log.failed(later, cause: outcome.cause)
        }
        tellListener()
    }

    private func settle(_ queued: QueuedMessage) {
        let rows = unstored.settle(queued.id)
        do { try history.settle(rows) } catch { unstored.keepSettled(rows) }
    }

    private func release(_ held: [QueuedMessage], as whole: QueuedMessage) {
        let rows = held.map(\.id)
        if unstored.isEmpty, (try? history.join(rows, into: whole)) != nil { return }
        var all = OutgoingMessage.Contents(events: [])
        for row in rows {
            guard let part = unstored.contents(of: row) ?? (try? history.reader.contents(ofMessage: row)) else {
                continue
            }
            all.events += part.events
            all.note = part.note
        }
        unstored.keep(all, of: whole.id, inPlaceOf: rows)
    }
}

extension Lineup.Outcome {
    var cause: String? {
        switch self {
        case .failed(let cause, _), .refused(let cause): cause
        case .delivered, .lost, .interrupted: nil
        }
    }
}

extension Message {
    /// Nil where the outbox holds nothing to be said.
    init?(_ id: String, _ contents: OutgoingMessage.Contents) {
        if let data = contents.note {
            guard let note = Note(encoded: data, events: contents.events) else { return nil }
            self.init(id: id, content: .note(note))
        } else if !contents.events.isEmpty {
            self.init(id: id, content: .events(contents.events))
        } else {
            return nil
        }
    }
}
