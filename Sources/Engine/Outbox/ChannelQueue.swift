import Foundation
import Markets

/// The messages queued for one channel, and the state of its deliveries.
struct ChannelQueue: Sendable {
    private(set) var terms: Routing.Channel
    /// No longer configured: its messages are dropped.
    var isUnconfigured: Bool
    /// In queue order, including those being delivered.
    private(set) var messages: [QueuedMessage] = []
    /// Ids of the messages being delivered.
    private(set) var running: Set<String> = []
    /// Those of them that are on their way to an earlier address, whose failure says nothing about this one.
    private var sentElsewhere: Set<String> = []
    /// Ids of messages queued by an earlier daemon. Their age is not used until this machine's clock is confirmed.
    var recalled: Set<String> = []
    private var health = Health()

    /// What the last deliveries say about the channel; reset by a success.
    private struct Health {
        /// Why it does not deliver; nil after a success.
        var fault: String?
        /// Consecutive failed deliveries.
        var failures = 0
        /// Messages that failed are not retried before then.
        var retriesFrom: Date?
        /// The service asked to wait: nothing is sent before then.
        var askedToWaitUntil: Date?
    }

    enum Action: Hashable {
        case send(QueuedMessage)
        case drop(QueuedMessage, DropReason)
        /// Quiet hours ended: the held messages become one.
        case release([QueuedMessage], whole: QueuedMessage)
    }

    enum Verdict: Hashable {
        case done
        /// With the attempts so far and the time of the next.
        case postponed(QueuedMessage)
        case dropped(DropReason)
        /// It stays queued.
        case kept
    }

    struct DropReason: Hashable {
        let code: String
        let message: String?

        static func maxAge(_ age: Duration) -> DropReason {
            DropReason(code: "max_age", message: "it could not be delivered for \(age.unitsText)")
        }
        static let noChannel = DropReason(
            code: "no_channel", message: "no channel of this name is configured any more")
        /// The channel rejected it permanently.
        static let refused = DropReason(code: "refused", message: nil)
        static let lost = DropReason(code: "lost", message: "the database no longer holds what it was to say")
    }

    /// Consecutive failures from which the status shows a fault.
    private static let failuresReported = 3

    init(_ terms: Routing.Channel, isUnconfigured: Bool = false) {
        self.terms = terms
        self.isUnconfigured = isUnconfigured
    }

    var fault: String? { health.fault }

    /// Queues a message. Failed attempts of an earlier daemon count as failures of the channel until it delivers.
    mutating func add(_ message: QueuedMessage, isRecalled: Bool) {
        messages.append(message)
        if isRecalled { recalled.insert(message.id) }
        guard let error = message.lastError else { return }
        health.failures += message.attempts
        if health.failures >= Self.failuresReported { health.fault = error }
    }

    /// Applies new settings. A changed address resets the failures.
    mutating func reconfigure(_ next: Routing.Channel) {
        if !isUnconfigured, next.address != terms.address {
            recover()
            sentElsewhere = running
        }
        terms = next
    }

    /// Resets the health; the messages are sent without their own backoff.
    mutating func recover() {
        health = Health()
        for place in messages.indices { messages[place].notBefore = nil }
    }

    /// Removes the messages that report nothing but these alerts; returns their ids.
    mutating func withdraw(_ alerts: Set<AlertKey>) -> [String] {
        let ids = messages.filter { $0.events.allSatisfy { alerts.contains($0.alert) } && !running.contains($0.id) }
            .map(\.id)
        messages.removeAll { ids.contains($0.id) }
        return ids
    }

    mutating func follow(clockSetBy step: Duration) {
        for place in messages.indices where !recalled.contains(messages[place].id) {
            messages[place].createdAt = messages[place].createdAt + step
            messages[place].notBefore = messages[place].notBefore.map { $0 + step }
        }
        health.retriesFrom = health.retriesFrom.map { $0 + step }
        health.askedToWaitUntil = health.askedToWaitUntil.map { $0 + step }
    }

    /// - Parameter slotsLeft: how many more deliveries may run; a channel's first delivery needs no slot.
    mutating func next(at now: Date, slotsLeft: Int) -> Action? {
        if let action = drop(at: now) { return action }
        let quietEnd = terms.quietEnd(at: now)
        if quietEnd == nil, let action = release(at: now) { return action }
        // A failing channel is tried with one delivery at a time.
        guard running.isEmpty || health.failures == 0 && slotsLeft > 0 else { return nil }
        guard let place = candidate(at: now, isQuiet: quietEnd != nil) else { return nil }
        running.insert(messages[place].id)
        return .send(messages[place])
    }

    /// Whether a message that is not being delivered waits for the end of quiet hours.
    private func waits(_ message: QueuedMessage) -> Bool {
        !running.contains(message.id) && (message.isHeld || !message.isCritical)
    }

    /// The messages that wait for the end of quiet hours; nil: none.
    func held(at now: Date) -> OutboxSize.Held? {
        guard let end = terms.quietEnd(at: now) else { return nil }
        let count = messages.count(where: waits)
        return count == 0 ? nil : OutboxSize.Held(channel: terms.name, count: count, until: end)
    }

    func nextMoment(after now: Date) -> Date? {
        let quietEnd = terms.quietEnd(at: now)
        var moments: [Date] = []
        for message in messages where !running.contains(message.id) {
            if let quietEnd, waits(message) { moments.append(quietEnd) }
            guard !message.isHeld else { continue }
            moments.append(message.createdAt + terms.maxAge)
            if let due = due(message) { moments.append(due) }
        }
        return moments.filter { $0 > now }.min()
    }

    mutating func finish(
        _ id: String, _ outcome: Delivery.Outcome, at now: Date, random: Double
    ) -> Verdict {
        running.remove(id)
        let wasElsewhere = sentElsewhere.remove(id) != nil
        guard let place = messages.firstIndex(where: { $0.id == id }) else { return .done }
        switch outcome {
        case .interrupted: return .kept
        case .failed where wasElsewhere, .refused where wasElsewhere: return .kept
        case .delivered:
            messages.remove(at: place)
            // After an outage the others are sent without their own backoff.
            if health.failures >= Self.failuresReported { recover() } else { health = Health() }
            return .done
        case .refused(let cause):
            messages.remove(at: place)
            health.fault = cause
            return .dropped(.refused)
        case .lost:
            messages.remove(at: place)
            return .dropped(.lost)
        case .failed(let cause, let retryAfter):
            if isUnconfigured {
                messages.remove(at: place)
                return .dropped(.noChannel)
            }
            health.failures += 1
            if health.failures >= Self.failuresReported { health.fault = cause }
            health.retriesFrom = now + Self.backoff(after: health.failures, random: random)
            health.askedToWaitUntil = retryAfter.map { now + $0 }
            messages[place].attempts += 1
            messages[place].lastError = cause
            let pause = Self.backoff(after: messages[place].attempts, random: random)
            messages[place].notBefore = now + max(pause, retryAfter ?? .zero)
            return .postponed(messages[place])
        }
    }

    /// Drops messages that are too old, and all messages if the channel is no longer configured.
    private mutating func drop(at now: Date) -> Action? {
        let maxAge = terms.maxAge
        func isOver(_ message: QueuedMessage) -> Bool {
            (isUnconfigured || isTooOld(message, at: now) && !recalled.contains(message.id))
                && !running.contains(message.id)
        }
        guard let place = messages.firstIndex(where: isOver) else { return nil }
        let message = messages.remove(at: place)
        if isUnconfigured { return .drop(message, .noChannel) }
        // A message that expired without an attempt does not indicate a fault of the channel.
        if message.attempts > 0 { health.fault = fault ?? "nothing could be delivered for \(maxAge.unitsText)" }
        return .drop(message, .maxAge(maxAge))
    }

    private func isTooOld(_ message: QueuedMessage, at now: Date) -> Bool {
        !message.isHeld && now.since(message.createdAt) >= terms.maxAge
    }

    /// After quiet hours: releases each held note on its own and all held events as one message. Their age counts from
    /// now.
    private mutating func release(at now: Date) -> Action? {
        guard let place = messages.firstIndex(where: \.isHeld) else { return nil }
        let first = messages[place]
        let held = first.isNote ? [first] : messages.filter { $0.isHeld && !$0.isNote }
        var whole = first
        whole.events = held.flatMap(\.events)
        if held.count > 1 { whole.id = StableID.of([terms.name] + whole.events.map(\.id)) }
        (whole.isHeld, whole.createdAt) = (false, now)
        let ids = Set(held.map(\.id))
        messages.removeAll { ids.contains($0.id) }
        recalled.subtract(ids)
        // At the position of the first, ahead of newer messages.
        messages.insert(whole, at: place)
        return .release(held, whole: whole)
    }

    /// The index of the message to send now: the first; on a failing channel, the one with the fewest attempts.
    private func candidate(at now: Date, isQuiet: Bool) -> Int? {
        var ahead: Set<AlertKey> = []
        var best: Int?
        for (place, message) in messages.enumerated() where !message.isHeld {
            let isRunning = running.contains(message.id)
            // Messages that wait for the end of quiet hours do not block critical ones.
            if isQuiet, !message.isCritical, !isRunning { continue }
            let alerts = message.events.map(\.alert)
            let isFirst = ahead.isDisjoint(with: alerts)
            ahead.formUnion(alerts)
            guard isFirst, !isRunning, due(message).map({ $0 <= now }) ?? true, !isTooOld(message, at: now) else {
                continue
            }
            if health.failures == 0 || message.attempts == 0 { return place }
            if best.map({ message.attempts < messages[$0].attempts }) ?? true { best = place }
        }
        return best
    }

    /// When the message may be sent; nil: now. A message without attempts does not wait for the channel's backoff.
    private func due(_ message: QueuedMessage) -> Date? {
        [message.notBefore, message.attempts > 0 ? health.retriesFrom : nil, health.askedToWaitUntil]
            .compactMap { $0 }.max()
    }

    /// See `Backoff`.
    static func backoff(after failures: Int, random: Double) -> Duration {
        Backoff.wait(after: failures, atMost: .minutes(5), random: random)
    }
}
