import Engine
import Foundation
import HTTP
import Markets

/// The daemon's loop. It feeds one input at a time to the engine and performs the plan that this returns, in a fixed
/// order: commit, log, publish, start work, arm the timer. Nothing is awaited in between, so that a report is
/// consistent.
actor Daemon {
    private(set) var engine: Engine
    var parts: Parts
    private let events: AsyncStream<Event>
    private let send: AsyncStream<Event>.Continuation
    private let work: Work
    let timer: WakeTimer
    /// A configuration read from the file that takes effect once no poll is running.
    var pending: ConfigurationReading?

    enum Event: Sendable {
        case input(Input)
        /// The work of this number has ended, with its result for the engine.
        case ended(Int, Input?)
        /// SIGHUP: reload the configuration.
        case hangup
    }

    init(_ bootstrap: Bootstrap) {
        engine = bootstrap.engine
        parts = bootstrap.parts
        (events, send) = AsyncStream.makeStream(of: Event.self)
        work = Work(reportingTo: send)
        timer = WakeTimer { [send] in send.yield(.input(.woke)) }
    }

    /// Runs until it is stopped or its single cycle has ended. Returns how the last cycle ended.
    func run() async -> CycleEnding? {
        // Queued after any stop that was requested before the start.
        send.yield(.input(.woke))
        for await event in events where take(event) { break }
        await finish()
        return engine.ending
    }

    nonisolated func stop() { send.yield(.input(.stop)) }
    nonisolated func reload() { send.yield(.hangup) }

    func untilNextPoll(at uptime: Duration) -> Duration { engine.untilNextPoll(at: uptime) }

    /// Messages left in the outbox for the next run.
    var queuedMessages: Int { engine.queuedMessages }

    /// Handles events until no work is running.
    func drain() async {
        var events = events.makeAsyncIterator()
        while work.isBusy, let event = await events.next() { take(event) }
    }

    @discardableResult
    private func take(_ event: Event) -> Bool {
        switch event {
        case .input(let input): return take(input)
        case .ended(let number, let input):
            work.forget(number)
            return input.map { take($0) } ?? false
        case .hangup:
            hangUp()
            return false
        }
    }

    /// Returns whether the daemon is done.
    @discardableResult
    func take(_ input: Input) -> Bool {
        if case .woke = input, let change = parts.outsideChange(engine) { perform(.changedOutside(change)) }
        let isOver = perform(input)
        if let reading = pending, !engine.isPolling { apply(reading) }
        if case .stop = input { work.cancelChores() }
        return isOver
    }

    @discardableResult
    func perform(_ input: Input, startsWork: Bool = true) -> Bool {
        let now = parts.now()
        var plan = engine.step(input, at: now)
        if let commit = plan.commit { engine.settle(parts.history.commit(commit), of: &plan) }
        for line in plan.log { parts.log.write(line) }
        if let publication = plan.publish { publish(publication, at: now) }
        guard startsWork else { return plan.isOver }
        work.start(plan, parts, engine.settings)
        timer.arm(plan.nextWake, at: now.uptime)
        if plan.publish == .cycleEnded { IdleMemory.giveBack(at: now.uptime) }
        if let request = plan.readGap { perform(.gapRead(parts.readGap(request, engine.settings, at: now.wall))) }
        return plan.isOver
    }

    private func publish(_ publication: Plan.Publication, at now: Moment, isStopped: Bool = false) {
        parts.publisher.publish(
            engine.status(
                at: now, logFault: parts.publisher.logFault, quarantined: parts.history.quarantinedDatabases(),
                isStopped: isStopped),
            finished: publication == .cycleEnded, deadline: engine.settings.deadline)
    }

    /// Cancels running work, closes the history, and publishes the final status.
    func finish() async {
        timer.cancel()
        await work.finish()
        // A message that was delivered just then is not sent again after the next start.
        send.finish()
        for await case .ended(_, let input?) in events {
            switch input {
            case .delivered, .stated: perform(input, startsWork: false)
            default: break
            }
        }
        do { try parts.history.close() } catch {
            parts.log.write(LogLine(.error, "history.unclosed") { $0.add("message", "\(error)") })
        }
        publish(.changed, at: parts.now(), isStopped: parts.environment.once == nil)
        await (parts.transport as? NetworkTransport)?.shutdown()
    }
}
