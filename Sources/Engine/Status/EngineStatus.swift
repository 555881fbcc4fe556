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
        let changes = board.entries.map { summary.change(of: $0, at: moment) }
        var report = StatusReport(
            state: .starting, writtenAt: moment, interval: shortestInterval,
            summary: summary.summary(of: board, changes, at: moment), history: recording.stored)
        report.startedAt = daemon.startedAt
        report.nextPollAt = nextPoll(at: now)
        report.lastPoll = daemon.lastPoll
        report.lastUsablePoll = lastUsablePoll
        report.consecutiveFailures = sources.map(\.failures.count).max() ?? 0
        report.feeds = settings.feeds.compactMap { status(ofFeed: $0, at: moment) }
        report.list(board, changes, currency: settings.currency, at: moment)
        report.firing = active.firing
        report.pending = active.pending
        report.silences = alerts.silences.filter { $0.until > moment }
        report.outbox = outbox.size
        report.reasons = reasons(logFault, quarantined, at: moment)
        report.state =
            switch daemon.phase {
            case _ where isStopped: .stopped
            case .starting: .starting
            case .running, .draining: board.state(reasons: report.reasons, at: moment)
            case .stopping: .stopping
            }
        return report
    }

    /// The expected time of the next poll.
    private func nextPoll(at now: Moment) -> Date? {
        sources.map { source in
            let cooldown = feeds[source.serving.feed]?.cooldown(at: now.wall)
            return max(now.wall + source.delay(at: now.uptime), cooldown?.until ?? now.wall)
        }.min()
    }

    /// Nil if no source uses this feed.
    private func status(ofFeed name: String, at now: Date) -> StatusReport.Feed? {
        var (serves, coolsUntil, quotaEnd, quota): (Bool, Date?, Date?, Int?) = (false, nil, nil, nil)
        var (isAsked, isFailing) = (false, false)
        for source in sources {
            guard let place = source.settings.members.firstIndex(where: { $0.feed == name }) else { continue }
            isAsked = true
            quota = source.settings.members[place].quota
            coolsUntil = source.failover.coolsUntil(place, at: now) ?? coolsUntil
            guard source.failover.serving == place else { continue }
            serves = true
            if source.failures.count > 0 { isFailing = true }
            quotaEnd = [quotaEnd, source.interval.quotaEnd].compactMap { $0 }.min()
        }
        guard isAsked else { return nil }
        let cooldown = feeds[name]?.cooldown(at: now)
        let state: StatusReport.Feed.State =
            switch cooldown {
            case .some(let cooldown) where cooldown.isBlock: .blocked
            case .some: .cooling
            case nil: coolsUntil != nil ? .cooling : !serves ? .standby : isFailing ? .failing : .serving
            }
        return StatusReport.Feed(
            name: name, state: state, nextTryAt: [cooldown?.until, coolsUntil].compactMap { $0 }.max(),
            requestsThisMonth: feeds[name]?.requests(inMonthOf: now) ?? 0, quota: quota, quotaEndsAt: quotaEnd)
    }
}

// MARK: Reasons

extension Engine {
    private func reasons(_ logFault: String?, _ quarantined: [String], at now: Date) -> [StatusReport.Reason] {
        var reasons = sources.flatMap { self.reasons(of: $0, at: now) } + board.reasons(at: now)
        if let fault = recording.fault { reasons.append(.init(.notRecording, fault)) }
        if let newest = quarantined.last {
            reasons.append(
                .init(
                    .databaseReplaced,
                    "a damaged database was set aside as \(newest): restore it or remove it to end this notice"))
        }
        for fault in outbox.faults {
            reasons.append(.init(.notifyFailing, "\(fault.channel) does not deliver: \(fault.message)"))
        }
        if let logFault { reasons.append(.init(.logUnwritable, logFault)) }
        if let rejection = daemon.rejection {
            reasons.append(
                .init(.configRejected, "the configuration was refused, the old one goes on: \(rejection)"))
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
            let polls = count == 1 ? "the last poll" : "the last \(count) polls"
            reasons.append(
                .init(
                    .pollFailed,
                    polls + (name.map { " of \($0)" } ?? "") + " failed"
                        + (source.lastError.map { ": \($0.message)" } ?? "")))
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

extension MarketBoard {
    fileprivate func reasons(at now: Date) -> [StatusReport.Reason] {
        let states: [(Entry.State, StatusReport.Reason.Code)] = [
            (.missing, .marketMissing), (.stale, .marketStale), (.unknown, .marketUnknown),
        ]
        return states.compactMap { state, code in
            let markets = entries.filter { $0.state(at: now) == state }.map(\.market.text)
            return markets.isEmpty ? nil : .init(code, StatusReport.Reason.listing(markets, as: state))
        }
    }

    fileprivate func state(reasons: [StatusReport.Reason], at now: Date) -> StatusReport.State {
        if !entries.contains(where: { $0.state(at: now) == .fresh }) { return .failing }
        return reasons.isEmpty ? .ok : .degraded
    }
}

extension StatusReport.Reason {
    /// `stale: bitcoin, ethereum, tether and 2 more`
    package static func listing(_ markets: [String], as state: MarketBoard.Entry.State) -> String {
        let more = markets.count > 3 ? " and \(markets.count - 3) more" : ""
        return "\(state.rawValue): \(markets.prefix(3).joined(separator: ", "))\(more)"
    }
}
