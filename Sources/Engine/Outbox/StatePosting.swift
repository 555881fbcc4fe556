import Foundation
import Markets

/// The posts of the alerts' state to one channel: one at a time, again after every cycle.
struct StatePosting: Sendable {
    private var channel: Routing.Channel
    /// A cycle has ended since the last post began.
    var isDue = false
    /// The alerts that fire in the running post; nil: none is running.
    private var running: Set<AlertKey>?
    /// The alerts that fire since this process runs, and that no post has brought to an address.
    private var unreached: Set<AlertKey> = []
    /// By place in the configuration.
    private var addresses: [Int: Health] = [:]

    private struct Health {
        var failures = FailureCount()
        /// Why the last post failed; nil if it did not.
        var fault: String?
    }

    init(_ channel: Routing.Channel) { self.channel = channel }

    /// Applies new settings. A changed address resets the failures.
    mutating func reconfigure(_ next: Routing.Channel) {
        if next.address != channel.address { addresses = [:] }
        channel = next
    }

    var isPosting: Bool { running != nil }
    var isShared: Bool { channel.takes == .states(isShared: true) }
    var faults: [String] { addresses.sorted { $0.key < $1.key }.compactMap(\.value.fault) }

    mutating func begin(_ post: StatePost) {
        isDue = false
        running = Set(post.firing.map(\.key))
    }

    /// Ends the running post; returns the alerts that an address has as firing now.
    mutating func end(_ answers: StateAnswers) -> Set<AlertKey> {
        defer { running = nil }
        guard answers.isReached, let running else { return [] }
        unreached.subtract(running)
        return running
    }

    /// Returns the log line about an answer; nil: none is due.
    ///
    /// - Parameter place: of the address in the configuration.
    mutating func take(_ answer: StateAnswers.Address, from place: Int, at now: Date) -> LogLine? {
        if answer.outcome == .interrupted { return nil }
        var health = addresses[place] ?? Health()
        health.fault = answer.outcome.cause
        defer { addresses[place] = health }
        guard let cause = answer.outcome.cause else {
            let failed = health.failures.reset()
            return failed == 0 ? nil : .reached(answer.host, of: channel.name, failuresBefore: failed)
        }
        guard health.failures.add(at: now) else { return nil }
        return .unreached(answer.host, of: channel.name, count: health.failures.count, cause: cause)
    }

    /// Whether this event ends an alert that no post has brought to an address. Where another pricewatch posts the same
    /// alerts, only this process knows that of its own posts: after a restart, the other may have reached one.
    mutating func misses(_ event: AlertEvent, isNotified: Bool) -> Bool {
        switch event.kind {
        case .pending: return false
        case .firing, .reminder:
            if event.silencedUntil == nil { unreached.insert(event.key) }
            return false
        case .resolved:
            let isUnreached = unreached.remove(event.key) != nil
            guard event.silencedUntil == nil, event.reason != .removed, !isNotified else { return false }
            return isUnreached || !isShared
        }
    }
}

extension Outbox {
    /// Queues a message about each alert that fired and ended while no address could be reached. A post says what is
    /// now, so it would never say that.
    mutating func queueMissed(_ events: [AlertEvent], at now: Date, into commit: inout Commit) {
        for channel in routing.stateChannels {
            let missed = events.filter { event in
                routing.names(channel, in: event.rule)
                    && states[channel.name]?.misses(
                        event, isNotified: notified[event.key]?.contains(channel.name) == true) == true
            }
            queue(missed, to: channel, at: now, into: &commit)
        }
    }
}

extension Engine {
    /// Starts due posts. One that hangs is not waited for by anything but the channel's next.
    mutating func choosePosts(at now: Date, _ plan: inout Plan) {
        guard !isStopping else { return }
        for channel in outbox.routing.stateChannels {
            guard let posting = outbox.states[channel.name], posting.isDue, !posting.isPosting else { continue }
            let post = post(to: channel, isShared: posting.isShared, at: now)
            outbox.states[channel.name]?.begin(post)
            plan.states.append(post)
        }
    }

    private func post(to channel: Routing.Channel, isShared: Bool, at now: Date) -> StatePost {
        func isHeard(_ event: AlertEvent) -> Bool { alerts.silences.end(for: event.key, at: now) == nil }
        // Two limits must fit into the time after which firing alerts end.
        let limit = min(.seconds(5), shortestInterval * 2)
        let longestPause = shortestInterval + settings.deadline + limit
        return StatePost(
            channel: channel.name,
            firing: active.firing.filter { outbox.routing.names(channel, in: $0.rule) && isHeard($0) },
            // The other pricewatch may still have it firing: it ends when both have stopped posting it.
            resolved: isShared
                ? []
                : active.resolved(at: now).filter {
                    outbox.notified[$0.key]?.contains(channel.name) == true && isHeard($0)
                },
            endsAt: now + max(shortestInterval * 4, longestPause), limit: limit)
    }

    mutating func endPost(_ answers: StateAnswers, at now: Date, _ plan: inout Plan) {
        let channel = answers.channel
        guard let posted = outbox.states[channel]?.end(answers) else { return }
        for (place, answer) in answers.addresses.enumerated() {
            if let line = outbox.states[channel]?.take(answer, from: place, at: now) { plan.log.append(line) }
        }
        guard answers.isReached else { return }
        outbox.recover(channel)
        // They were queued while this post was running, or fire again.
        for id in outbox.withdraw(posted, from: channel) { plan.change(.remove(id)) }
        let new = posted.filter { outbox.notified[$0]?.contains(channel) != true }
        guard !new.isEmpty else { return }
        var commit = plan.commit ?? Commit()
        for alert in new {
            outbox.notified[alert, default: []].insert(channel)
            commit.notified[alert] = outbox.notified[alert]?.sorted()
        }
        plan.commit = commit
    }
}

extension LogLine {
    fileprivate static func unreached(
        _ host: String, of channel: String, count: Int, cause: String
    ) -> LogLine {
        LogLine(.warning, "notify.failed") { line in
            line.add("channel", channel)
            line.add("address", host)
            line.add("count", count)
            line.add("message", cause)
        }
    }

    fileprivate static func reached(_ host: String, of channel: String, failuresBefore: Int) -> LogLine {
        LogLine(.info, "notify.sent") { line in
            line.add("channel", channel)
            line.add("address", host)
            line.add("after_failures", failuresBefore)
        }
    }
}
