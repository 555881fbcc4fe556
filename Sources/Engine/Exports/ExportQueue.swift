import Foundation
import Markets

/// The state of one export: what it has sent, what is to be sent, and whether the engine takes it.
struct ExportQueue: Sendable {
    private(set) var settings: ExportSettings
    private var cursor: ExportCursor
    private(set) var counts: Counts
    /// Samples of polls that are to be sent. Without those of past prices that another process recorded.
    private var pending: Int
    /// When the answer of the oldest poll that is to be sent was complete; nil: nothing is to be sent.
    private var oldest: Date?
    private var work = Work.unknown
    /// Nil: no request runs.
    private var running: Running?
    private(set) var failure: Failure?
    /// After a failure, and while samples older than a minute are sent: their end is logged.
    private var isCatchingUp = false
    /// As in the last commit; nil: the history does not know this export.
    private var written: StoredExport?
    /// The state in the last status.
    var published = ExportState.ok

    struct Counts: Hashable {
        /// Samples that were sent, each once.
        var sent = 0
        /// Lines that the engine refused for good.
        var refused = 0
        /// Samples that were pruned before they were sent.
        var lost = 0
    }

    /// What is known to be to send, beyond a running request.
    private enum Work: Hashable {
        case none
        /// After a start or a failure.
        case unknown
        /// Polls have been recorded; the answer of the first was complete then.
        case recorded(Date)
        /// The last batch left polls.
        case continued
    }

    private struct Running: Hashable {
        let request: ExportRequest
        /// Uptime.
        let since: Duration
    }

    /// Consecutive failed requests.
    struct Failure: Hashable {
        var count = FailureCount()
        /// What the last one failed with; untrusted text.
        var cause = ""
        /// The engine refuses every request until the user acts.
        var isBlocked = false
        /// Uptime of the next request.
        var retryAt = Duration.zero
    }

    /// Consecutive failures from which the status shows them.
    private static let failuresReported = 3
    /// The age of unsent samples from which the status shows them.
    private static let mostDelay = Duration.minutes(1)
    private static let longestBackoff = Duration.minutes(1)
    /// The longest wait at an engine's request, and between two requests to one that refuses them.
    private static let longestWait = Duration.minutes(10)
    /// The most refused lines of a batch that are logged each.
    private static let linesLogged = 10

    init(_ settings: ExportSettings, remembering remembered: RememberedExport?) {
        self.settings = settings
        let stored = remembered?.stored
        cursor = ExportCursor(stored?.poll ?? 0)
        counts = Counts(sent: stored?.sent ?? 0, refused: stored?.refused ?? 0, lost: remembered?.lost ?? 0)
        pending = remembered?.pending ?? 0
        oldest = remembered?.oldest
        written = stored
    }

    /// Applies settings after a reload. A failed request is repeated at once: a token may have been replaced.
    mutating func reconfigure(_ next: ExportSettings) {
        failure?.retryAt = .zero
        guard next.address != settings.address else { return }
        settings = next
        // The result of a running request is ignored.
        (running, failure, work) = (nil, nil, .unknown)
        cursor.rewind()
    }

    /// The database was replaced by a new one. The result of a running request, which read the old one, is ignored.
    mutating func startAnew() {
        cursor = ExportCursor(0)
        (pending, oldest, running, work, written) = (0, nil, nil, .unknown, nil)
    }

    /// What the history holds now, if a commit has not stored it yet.
    mutating func unwritten() -> StoredExport? {
        let stored = StoredExport(
            address: settings.address, poll: cursor.settled, sent: counts.sent, refused: counts.refused)
        guard stored != written else { return nil }
        written = stored
        return stored
    }
}

// MARK: What is to be sent

extension ExportQueue {
    /// A poll was recorded. The request that was started in the same step reads it.
    mutating func add(samples: Int, answeredAt: Date, at uptime: Duration) {
        pending += samples
        oldest = oldest ?? answeredAt
        if running?.since != uptime, work == .none { work = .recorded(answeredAt) }
    }

    /// Past prices were recorded, or prices deleted.
    mutating func recall(_ remembered: RememberedExport) {
        pending = max(pending, remembered.pending)
        oldest = oldest ?? remembered.oldest
        if work == .none { work = .unknown }
    }

    /// Samples were pruned that had not been sent.
    mutating func lose(_ samples: Int) -> LogLine {
        counts.lost += samples
        pending = max(0, pending - samples)
        return LogLine(.warning, "export.lost") { line in
            line.add("export", settings.name)
            line.add("samples", samples)
            line.add("message", "deleted by age or size before they were sent")
        }
    }

    /// The request that is to be started now; nil: none.
    ///
    /// - Parameter records: This step's commit has polls.
    mutating func next(records: Bool, at uptime: Duration) -> ExportRequest? {
        guard running == nil, records || work != .none, failure.map({ $0.retryAt <= uptime }) ?? true else {
            return nil
        }
        let request = cursor.request(of: settings, isContinuing: work == .continued, at: uptime)
        running = Running(request: request, since: uptime)
        work = .none
        return request
    }

    /// Uptime of the next request; nil: none until something is to be sent.
    var nextMoment: Duration? { running == nil && work != .none ? failure?.retryAt ?? .zero : nil }

    /// Nothing is being sent, and nothing will be soon.
    var isIdle: Bool { running == nil && (work == .none || failure != nil) }
}

// MARK: The end of a request

extension ExportQueue {
    /// - Parameter random: from 0 up to 1.
    /// - Returns: what is logged.
    mutating func finish(_ result: ExportResult, at now: Moment, random: Double) -> [LogLine] {
        guard running?.request == result.request else { return [] }
        running = nil
        switch result.outcome {
        case .sent(let refused): return end(result, refused, at: now)
        case .failed(let cause, let retryAfter):
            return fail(cause, isBlocked: false, at: now) { failures in
                retryAfter.map { min(max($0, .seconds(1)), Self.longestWait) }
                    ?? Backoff.wait(after: failures, atMost: Self.longestBackoff, random: random)
            }
        case .blocked(let cause): return fail(cause, isBlocked: true, at: now) { _ in Self.longestWait }
        case .interrupted:
            work = .unknown
            return []
        }
    }

    private mutating func end(
        _ result: ExportResult, _ refused: [ExportOutcome.RefusedLine], at now: Moment
    ) -> [LogLine] {
        cursor.acknowledge(result, isRepeatable: refused.isEmpty, at: now.uptime)
        counts.sent += max(0, result.fresh - refused.count)
        counts.refused += refused.count
        pending = max(0, pending - result.taken)
        let failures = failure?.count.count ?? 0
        failure = nil
        var lines = refused.prefix(Self.linesLogged).map(line)
        if refused.count > Self.linesLogged { lines.append(line(refused.count - Self.linesLogged)) }
        if let next = result.next {
            (work, oldest) = (.continued, next)
            if now.wall.since(next) >= Self.mostDelay { isCatchingUp = true }
        } else if case .recorded(let first) = work {
            oldest = first
        } else {
            (pending, oldest) = (0, nil)
        }
        if work == .none, isCatchingUp || failures > 0 {
            isCatchingUp = false
            lines.append(
                LogLine(.info, "export.caught_up") { line in
                    line.add("export", settings.name)
                    line.add("after_failures", failures > 0 ? failures : nil)
                })
        }
        return lines
    }

    private mutating func fail(
        _ cause: String, isBlocked: Bool, at now: Moment, wait: (_ failures: Int) -> Duration
    ) -> [LogLine] {
        var failed = failure ?? Failure()
        let isLogged = failed.count.add(at: now.wall) || isBlocked != failed.isBlocked
        let pause = wait(failed.count.count)
        (failed.cause, failed.isBlocked, failed.retryAt) = (cause.cut(toBytes: 500), isBlocked, now.uptime + pause)
        failure = failed
        isCatchingUp = true
        cursor.rewind()
        if work == .none { work = .unknown }
        guard isLogged else { return [] }
        return [
            LogLine(isBlocked ? .error : .warning, "export.failed") { line in
                line.add("export", settings.name)
                line.add("count", failed.count.count)
                line.add("retry_at", now.wall + pause)
                line.add("message", failed.cause)
            }
        ]
    }

    private func line(_ refused: ExportOutcome.RefusedLine) -> LogLine {
        LogLine(.warning, "export.refused") { line in
            line.add("export", settings.name)
            line.add("line", refused.line.cut(toBytes: 300))
            line.add("message", refused.cause.cut(toBytes: 300))
        }
    }

    private func line(_ more: Int) -> LogLine {
        LogLine(.warning, "export.refused") { line in
            line.add("export", settings.name)
            line.add("more", more)
        }
    }
}

// MARK: What is shown

extension ExportQueue {
    /// The age of the oldest sample that is to be sent, and how many are. A request that was started with a status
    /// sends what was recorded with it.
    func backlog(at now: Moment) -> (lag: Duration, pending: Int) {
        guard let oldest, isCatchingUp || running?.since != now.uptime else { return (.zero, 0) }
        return (max(.zero, now.wall.since(oldest)), pending)
    }

    func state(at now: Moment) -> ExportState {
        if let failure, failure.isBlocked { return .refused }
        if let failure, failure.count.count >= Self.failuresReported { return .failing }
        return backlog(at: now).lag >= Self.mostDelay ? .behind : .ok
    }
}
