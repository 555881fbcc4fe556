import Engine
import Foundation
import History
import Markets

/// The messages that wait for one channel, and how it has fared.
struct ChannelLine {
    var terms: ChannelTerms
    /// In the order in which they were queued, those on their way included.
    private(set) var waiting: [QueuedMessage] = []
    /// On their way, by their ids.
    private(set) var running: Set<String> = []
    /// Those whose times an earlier daemon's clock gave: until this one's is known to be right, they have no age.
    private var recalled: Set<String> = []
    /// Those of them that went before it was reached another way.
    private var goneBefore: Set<String> = []
    /// No longer configured: what waits is given up.
    var isGone = false
    /// Why it does not deliver, until it does.
    private(set) var fault: String?
    /// Deliveries that failed in a row.
    private var failures = 0
    /// What was tried before is not tried again before then.
    private var retriesFrom: Date?
    /// The service asked for it: nothing is sent before then.
    private var askedToWaitUntil: Date?

    /// From so many failures in a row on it is worth a word in the status.
    private static let failuresTold = 3

    init(_ terms: ChannelTerms) { self.terms = terms }

    /// What an earlier daemon tried in vain says that the channel was in trouble; it is until it delivers.
    mutating func add(_ message: QueuedMessage, isRecalled: Bool = false) {
        waiting.append(message)
        if isRecalled { recalled.insert(message.id) }
        guard let error = message.lastError else { return }
        failures += message.attempts
        if failures >= Self.failuresTold { fault = error }
    }

    var oldest: Date? { waiting.map(\.createdAt).min() }

    /// It is reached another way now. What is on its way went the old one, and says nothing of the new.
    mutating func startAnew() {
        goneBefore = running
        (fault, failures, retriesFrom, askedToWaitUntil) = (nil, 0, nil, nil)
        for place in waiting.indices { waiting[place].notBefore = nil }
    }

    mutating func follow(clockSetBy step: Duration) {
        for place in waiting.indices where !recalled.contains(waiting[place].id) {
            waiting[place].createdAt = waiting[place].createdAt + step
            waiting[place].notBefore = waiting[place].notBefore.map { $0 + step }
        }
        retriesFrom = retriesFrom.map { $0 + step }
        askedToWaitUntil = askedToWaitUntil.map { $0 + step }
    }

    mutating func clockIsRight() { recalled = [] }

    /// - Parameter slotsLeft: How many more deliveries may be under way besides the first of this channel.
    mutating func next(at now: Date, slotsLeft: Int) -> Lineup.Action? {
        if let action = drop(at: now) { return action }
        let quietEnd = terms.quietEnd(at: now)
        if quietEnd == nil, let action = release(at: now) { return action }
        // One at a time tells whether a channel in trouble is well again.
        guard running.isEmpty || failures == 0 && slotsLeft > 0 else { return nil }
        guard let place = candidate(at: now, isQuiet: quietEnd != nil) else { return nil }
        running.insert(waiting[place].id)
        return .send(waiting[place])
    }

    func nextMoment(after now: Date) -> Date? {
        let quietEnd = terms.quietEnd(at: now)
        var moments: [Date] = []
        for message in waiting where !running.contains(message.id) {
            if let quietEnd, message.isHeld || !message.isCritical { moments.append(quietEnd) }
            guard !message.isHeld else { continue }
            moments.append(message.createdAt + terms.maxAge)
            if let due = due(message) { moments.append(due) }
        }
        return moments.filter { $0 > now }.min()
    }

    mutating func finish(
        _ id: String, _ outcome: Lineup.Outcome, _ backoff: Backoff, at now: Date, random: Double
    ) -> Lineup.Verdict {
        running.remove(id)
        let wentBefore = goneBefore.remove(id) != nil
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return .done }
        switch outcome {
        case .interrupted: return .kept
        case .delivered:
            waiting.remove(at: place)
            recover()
            return .done
        case .refused(let cause):
            waiting.remove(at: place)
            fault = cause
            return .dropped(.refused)
        case .lost:
            waiting.remove(at: place)
            return .dropped(.lost)
        case .failed(let cause, let retryAfter):
            if isGone {
                waiting.remove(at: place)
                return .dropped(.noChannel)
            }
            guard !wentBefore else {
                waiting[place].attempts += 1
                return .postponed(waiting[place])
            }
            failures += 1
            if failures >= Self.failuresTold { fault = cause }
            retriesFrom = now + backoff.delay(after: failures, random: random)
            askedToWaitUntil = retryAfter.map { now + $0 }
            waiting[place].attempts += 1
            waiting[place].lastError = cause
            let pause = backoff.delay(after: waiting[place].attempts, random: random)
            waiting[place].notBefore = now + max(pause, retryAfter ?? .zero)
            return .postponed(waiting[place])
        }
    }

    /// After an outage nothing waits for its own turn to be tried again.
    private mutating func recover() {
        if failures >= Self.failuresTold {
            for place in waiting.indices { waiting[place].notBefore = nil }
        }
        (fault, failures, retriesFrom, askedToWaitUntil) = (nil, 0, nil, nil)
    }

    /// Gives up what is too old, and everything where there is no such channel any more.
    private mutating func drop(at now: Date) -> Lineup.Action? {
        let maxAge = terms.maxAge
        func isOver(_ message: QueuedMessage) -> Bool {
            (isGone || isTooOld(message, at: now) && !recalled.contains(message.id)) && !running.contains(message.id)
        }
        guard let place = waiting.firstIndex(where: isOver) else { return nil }
        let message = waiting.remove(at: place)
        if isGone { return .drop(message, .noChannel) }
        // What grew old while no daemon ran says nothing of the channel.
        if message.attempts > 0 { fault = fault ?? "nothing could be delivered for \(maxAge.unitsText)" }
        return .drop(message, .maxAge(maxAge))
    }

    private func isTooOld(_ message: QueuedMessage, at now: Date) -> Bool {
        !message.isHeld && now.since(message.createdAt) >= terms.maxAge
    }

    /// Quiet hours are over: notes come each on their own, all events as one message. Their age counts from now.
    private mutating func release(at now: Date) -> Lineup.Action? {
        guard let place = waiting.firstIndex(where: \.isHeld) else { return nil }
        let first = waiting[place]
        let held = first.isNote ? [first] : waiting.filter { $0.isHeld && !$0.isNote }
        var whole = first
        whole.events = held.flatMap(\.events)
        if held.count > 1 { whole.id = MessageID.of(whole.events.map(\.id), to: terms.name) }
        (whole.isHeld, whole.createdAt) = (false, now)
        let ids = Set(held.map(\.id))
        waiting.removeAll { ids.contains($0.id) }
        recalled.subtract(ids)
        // In the place of the first, before whatever came since.
        waiting.insert(whole, at: place)
        return .release(held, whole: whole)
    }

    /// The message to be sent now: the first; in trouble, the one that was tried least.
    private func candidate(at now: Date, isQuiet: Bool) -> Int? {
        var ahead: Set<AlertKey> = []
        var best: Int?
        for (place, message) in waiting.enumerated() where !message.isHeld {
            let isRunning = running.contains(message.id)
            // What waits for the morning does not keep back what is critical.
            if isQuiet, !message.isCritical, !isRunning { continue }
            let alerts = message.events.map(\.alert)
            let isFirst = ahead.isDisjoint(with: alerts)
            ahead.formUnion(alerts)
            guard isFirst, !isRunning, due(message).map({ $0 <= now }) ?? true, !isTooOld(message, at: now) else {
                continue
            }
            if failures == 0 || message.attempts == 0 { return place }
            if best.map({ message.attempts < waiting[$0].attempts }) ?? true { best = place }
        }
        return best
    }

    /// Nil: at once. What was never tried does not wait for what was tried in vain.
    private func due(_ message: QueuedMessage) -> Date? {
        [message.notBefore, message.attempts > 0 ? retriesFrom : nil, askedToWaitUntil].compactMap { $0 }.max()
    }
}
