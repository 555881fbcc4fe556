import Foundation
import Markets

extension Engine {
    /// The contents of the status file at `now`.
    ///
    /// - Parameters:
    ///   - logFault: why the log cannot be written; nil if it can.
    ///   - quarantined: damaged databases that were neither restored nor removed yet.
    ///   - isStopped: The daemon has ended.
    package func status(
        at now: Moment, logFault: String? = nil, quarantined: [String] = [], isStopped: Bool = false
    ) -> StatusReport {
        let moment = now.wall
        var report = StatusReport(board, summary, active, alerts.silences, at: moment)
        report.startedAt = daemon.startedAt
        report.nextPollAt = nextPoll(at: now)
        report.lastPoll = daemon.lastPoll
        report.lastUsablePoll = lastUsablePoll
        report.consecutiveFailures = sources.map(\.failures.count).max() ?? 0
        report.interval = shortestInterval
        report.feeds = settings.feeds.compactMap { status(ofFeed: $0, at: moment) }
        report.outbox = outbox.size(at: moment)
        report.exports = exports.map { StatusReport.Export($0, at: now) }
        report.history = recording.stored
        report.reasons =
            sources.flatMap { reasons(of: $0, at: moment) } + report.marketReasons
            + reasons(logFault: logFault, quarantined: quarantined) + report.exports.compactMap(\.reason)
        report.state =
            switch daemon.phase {
            case _ where isStopped: .stopped
            case .starting: .starting
            case .running, .draining: report.judgedState
            case .stopping: .stopping
            }
        return report
    }

    /// The expected time of the next poll.
    private func nextPoll(at now: Moment) -> Date? { sources.map { nextPoll(of: $0, at: now) }.min() }

    func nextPoll(of source: Source, at now: Moment) -> Date {
        let cooldown = feeds[source.serving.feed]?.cooldown(at: now.wall)
        return max(now.wall + source.delay(at: now.uptime), cooldown?.until ?? now.wall)
    }

    /// Nil if no source uses this feed.
    private func status(ofFeed name: String, at now: Date) -> StatusReport.Feed? {
        let users = sources.compactMap { source in
            source.settings.members.firstIndex { $0.feed == name }.map { (source: source, place: $0) }
        }
        guard let last = users.last else { return nil }
        let served = users.filter { $0.source.failover.serving == $0.place }.map(\.source)
        let cooldown = feeds[name]?.cooldown(at: now)
        let coolsUntil = users.compactMap { $0.source.failover.coolsUntil($0.place, at: now) }.last
        var feed = StatusReport.Feed()
        feed.name = name
        feed.state =
            if let cooldown {
                cooldown.isBlock ? .blocked : .cooling
            } else if coolsUntil != nil {
                .cooling
            } else if served.isEmpty {
                .standby
            } else {
                served.contains { $0.failures.count > 0 } ? .failing : .serving
            }
        feed.nextTryAt = [cooldown?.until, coolsUntil].compactMap { $0 }.max()
        feed.requestsThisMonth = feeds[name]?.requests(inMonthOf: now) ?? 0
        feed.quota = last.source.settings.members[last.place].quota
        feed.quotaEndsAt = served.compactMap(\.interval.quotaEnd).min()
        return feed
    }

    /// What keeps the daemon as a whole from its work.
    private func reasons(logFault: String?, quarantined: [String]) -> [StatusReport.Reason] {
        var reasons: [StatusReport.Reason] = []
        if let fault = recording.fault { reasons.append(.init(.notRecording, fault)) }
        if let newest = quarantined.last {
            let message = "a damaged database was set aside as \(newest): restore it or remove it to end this notice"
            reasons.append(.init(.databaseReplaced, message))
        }
        reasons += outbox.faults.map { .init(.notifyFailing, $0) }
        if let logFault { reasons.append(.init(.logUnwritable, logFault)) }
        if let rejection = daemon.rejection {
            reasons.append(
                .init(.configRejected, "the configuration was refused, the old one stays in use: \(rejection)"))
        }
        return reasons
    }

    private func reasons(of source: Source, at now: Date) -> [StatusReport.Reason] {
        var reasons: [StatusReport.Reason] = []
        let name = source.settings.name
        let prefix = name.map { "\($0): " } ?? ""
        if let fault = source.clockFault {
            reasons.append(.init(.clock, prefix + fault))
        } else if source.failures.count > 0 {
            let count = source.failures.count
            let polls = (count == 1 ? "the last poll" : "the last \(count) polls") + (name.map { " of \($0)" } ?? "")
            let cause = source.lastError.map { ": \($0.message)" } ?? ""
            reasons.append(.init(.pollFailed, "\(polls) failed\(cause)"))
        }
        if let cooldown = feeds[source.serving.feed]?.cooldown(at: now) {
            reasons.append(
                .init(.waiting, "\(name ?? "the provider") is not asked before \(cooldown.until.utcText)"))
        }
        if source.isStandby {
            reasons.append(
                .init(.standby, "\(source.serving.feed) serves in place of \(source.settings.members[0].feed)"))
        }
        if let throttle = source.interval.throttle { reasons.append(.init(.quota, prefix + throttle)) }
        return reasons
    }
}

extension StatusReport.Export {
    init(_ queue: ExportQueue, at now: Moment) {
        name = queue.settings.name
        state = queue.state(at: now)
        (lag, pending) = queue.backlog(at: now)
        (sent, refused, lost) = (queue.counts.sent, queue.counts.refused, queue.counts.lost)
        error = queue.failure?.cause
    }

    fileprivate var reason: StatusReport.Reason? {
        let cause = error.map { ": \($0)" } ?? ""
        switch state {
        case .ok, .behind: return nil
        case .failing: return .init(.exportFailing, "\(name) does not take the samples\(cause)")
        case .refused: return .init(.exportRefused, "\(name) refuses the samples\(cause)")
        }
    }
}
