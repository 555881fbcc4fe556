import Channels
import Engine
import Feeds
import Foundation
import History
import Markets
import Synchronization

/// The daemon's running work: polls, deliveries and chores. Each reports its end as an input.
final class Work: Sendable {
    private let send: AsyncStream<Daemon.Event>.Continuation
    private let state = Mutex(State())

    private struct State {
        var last = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        /// The tasks that a stop cancels at once.
        var chores: Set<Int> = []
    }

    init(reportingTo send: AsyncStream<Daemon.Event>.Continuation) { self.send = send }

    /// Starts the work of a plan.
    func start(_ plan: Plan, _ parts: Parts, _ settings: Settings) {
        for request in plan.polls { poll(request, parts) }
        for request in plan.deliveries { deliver(request, parts) }
        for request in plan.exports { export(request, parts) }
        for state in plan.states { post(state, parts) }
        if plan.sendsHeartbeat, let heartbeat = parts.reading.configuration.heartbeat {
            start { await .heartbeat(fault: Heartbeat.send(to: heartbeat.url.revealed, over: parts.transport)) }
        }
        if let longestStep = plan.backfill { backfill(longerThan: longestStep, parts, settings) }
        if plan.prunes { prune(parts) }
    }

    var isBusy: Bool { state.withLock { !$0.tasks.isEmpty } }

    func cancelChores() {
        state.withLock { state in
            for number in state.chores { state.tasks[number]?.cancel() }
        }
    }

    /// Removes work that has ended.
    func forget(_ number: Int) {
        state.withLock { state in
            state.tasks[number] = nil
            state.chores.remove(number)
        }
    }

    /// Cancels the running work and waits for its end.
    func finish() async {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// - Parameter body: Returns the result for the engine; nil: none.
    private func start(isChore: Bool = false, _ body: @escaping @Sendable () async -> Input?) {
        state.withLock { state in
            state.last += 1
            let number = state.last
            if isChore { state.chores.insert(number) }
            state.tasks[number] = Task { [send] in
                send.yield(.ended(number, await body()))
            }
        }
    }
}

// MARK: Polls and deliveries

extension Work {
    private func poll(_ request: PollRequest, _ parts: Parts) {
        guard let feed = parts.feeds[request.source]?[request.feed] else { return }
        let timeout = parts.reading.configuration.poll.timeout
        start {
            let limit =
                request.isProbe
                ? min(request.limit, timeout * max(1, feed.pages(for: request.watch))) : request.limit
            let result = try? await feed.poll(
                request.watch, within: limit, respecting: request.ignoringCooldown ? .namedOnly : .all)
            return result.map { .answered(request.source, $0) }
        }
    }

    private func post(_ state: StatePost, _ parts: Parts) {
        start {
            guard let channel = parts.channels[state.channel] as? any StateChannel else {
                return .stated(StateAnswers(channel: state.channel))
            }
            return .stated(await channel.post(state, page: parts.reading.configuration.pageURL))
        }
    }

    private func deliver(_ request: DeliveryRequest, _ parts: Parts) {
        start {
            let clock = ContinuousClock()
            let start = clock.now
            func ended(_ outcome: Delivery.Outcome, answer: String? = nil) -> Input {
                .delivered(Delivery(of: request.message, outcome, answer: answer, took: clock.now - start))
            }
            let message: Message
            do throws(HistoryError) {
                let contents = try request.contents(parts.history.reader.contents(ofMessage:))
                guard let contents, contents.note != nil || !contents.events.isEmpty else { return ended(.lost) }
                message = Message(
                    id: request.message.id, events: contents.events, note: contents.note,
                    zone: parts.reading.configuration.zone, page: parts.reading.configuration.pageURL)
            } catch {
                return ended(.failed(cause: "\(error)", retryAfter: nil))
            }
            guard let channel = parts.channels[request.message.channel] else { return ended(.lost) }
            do throws(DeliveryError) {
                return ended(.delivered, answer: try await channel.deliver(message))
            } catch {
                if Task.isCancelled { return ended(.interrupted) }
                return ended(
                    error.isPermanent
                        ? .refused(cause: error.description)
                        : .failed(cause: error.description, retryAfter: error.retryAfter))
            }
        }
    }
}

// MARK: Chores

extension Work {
    /// Reads the samples when they are sent: a backlog may be larger than the memory.
    private func export(_ request: ExportRequest, _ parts: Parts) {
        start(isChore: true) {
            guard let send = parts.exports[request.export.name] else {
                return .exported(ExportResult(of: request, nil, .blocked(cause: "it is not configured")))
            }
            do throws(HistoryError) {
                let batch = try parts.history.reader.exportBatch(request, at: parts.now().wall)
                let outcome = batch.isEmpty ? .sent(refused: []) : await send(batch)
                return .exported(ExportResult(of: request, batch, Task.isCancelled ? .interrupted : outcome))
            } catch {
                return .exported(ExportResult(of: request, nil, .failed(cause: "\(error)", retryAfter: nil)))
            }
        }
    }

    private func backfill(longerThan longestStep: Duration, _ parts: Parts, _ settings: Settings) {
        start(isChore: true) {
            guard await parts.backfilling?.round(longerThan: longestStep) == true else { return .backfilled(nil) }
            return .backfilled(try? parts.history.load(settings, at: parts.now().wall))
        }
    }

    private func prune(_ parts: Parts) {
        let retention = parts.reading.configuration.history.retention
        start(isChore: true) {
            let (history, log) = (parts.history, parts.log)
            if let fault = await history.checkAfterUncleanEnd() {
                log.write(LogLine(.error, "history.damaged") { $0.add("message", "\(fault)") })
            }
            do {
                // Limited by the newest answer: a clock set ahead would otherwise expire everything.
                let newest = try history.reader.lastAnswer() ?? .distantPast
                let pruned = try await history.prune(to: retention, now: min(parts.now().wall, newest))
                log.write(pruned, bytes: history.reader.bytesOnDisk())
                return .pruned(isStillTooLarge: pruned.isStillTooLarge, lost: pruned.lost)
            } catch {
                // The polls log an unwritable history.
                if let error = error as? HistoryError, error.kind != .unwritable, error.kind != .closed {
                    log.write(LogLine(.warning, "history.unpruned") { $0.add("message", "\(error)") })
                }
                return .pruned(isStillTooLarge: true)
            }
        }
    }
}

extension EventLog {
    fileprivate func write(_ pruned: Pruned, bytes: Int64) {
        guard !pruned.isEmpty else { return }
        write(
            LogLine(.info, "history.pruned") { line in
                line.add("samples", Int(pruned.samples))
                line.add("polls", Int(pruned.polls))
                line.add("candles", Int(pruned.candles))
                line.add("events", Int(pruned.events))
                if pruned.series > 0 { line.add("markets", Int(pruned.series)) }
                line.add("freed_bytes", Int(max(0, pruned.bytes)))
                line.add("bytes", Int(bytes))
                line.add("longest_step_ms", Int(pruned.longestStep.inMilliseconds))
            })
    }
}
