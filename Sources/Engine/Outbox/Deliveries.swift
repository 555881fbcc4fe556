import Foundation
import Markets

extension Engine {
    /// Starts due deliveries.
    mutating func chooseDeliveries(at now: Moment, _ plan: inout Plan) {
        guard !isStopping else { return }
        while let action = outbox.next(at: now.wall) {
            switch action {
            case .send(let message):
                plan.deliveries.append(DeliveryRequest(message: message, parts: parts(of: message.id, plan)))
            case .drop(let message, let reason):
                plan.change(.remove(message.id))
                plan.log.append(.dropped(message, reason))
            case .release(let held, let whole):
                plan.change(.join(held.map(\.id), into: whole))
            }
        }
    }

    mutating func endDelivery(_ delivery: Delivery, at now: Moment, _ plan: inout Plan) {
        let message = delivery.message
        let random = StableID.fraction(of: [message.id, String(message.attempts)])
        switch outbox.finish(message, delivery.outcome, at: now.wall, random: random) {
        case .kept: return
        case .done:
            plan.change(.remove(message.id))
            plan.log.append(.sent(message, delivery))
        case .dropped(let reason):
            plan.change(.remove(message.id))
            plan.log.append(.dropped(message, reason, cause: delivery.outcome.cause))
        case .postponed(let later):
            plan.change(.postpone(later))
            if let line = LogLine.failed(later, cause: delivery.outcome.cause) { plan.log.append(line) }
        }
    }

    /// Publishes the status if the failing channels have changed, and the number of messages once no delivery runs.
    mutating func publishOutbox(_ plan: inout Plan) {
        let (queued, faults) = (outbox.size.queued, outbox.faults)
        if faults != outbox.published.faults || (queued != outbox.published.queued && outbox.isIdle) {
            plan.publishChange()
        }
        if plan.publish != nil { outbox.published = (queued, faults) }
    }

    /// Where a message's contents are: in changes not yet written, else in the database. Whether the database holds
    /// messages joined in this step as one is only known after the commit.
    private func parts(of message: String, _ plan: Plan) -> [DeliveryRequest.Part] {
        for change in (recording.unsaved.outbox + (plan.commit?.outbox ?? [])).reversed() {
            switch change {
            case .queue(let outgoing) where outgoing.queued.id == message: return [.held(outgoing.contents)]
            case .join(let held, let whole) where whole.id == message && held != [message]:
                return held.flatMap { parts(of: $0, plan) }
            default: continue
            }
        }
        return [.stored(message)]
    }
}

extension Plan {
    /// Adds a change to the plan's commit.
    mutating func change(_ change: OutboxChange) {
        var commit = commit ?? Commit()
        commit.outbox.append(change)
        self.commit = commit
    }
}

extension LogLine {
    static func sent(_ message: QueuedMessage, _ delivery: Delivery) -> LogLine {
        LogLine(.info, "notify.sent") { line in
            line.add(message)
            line.add("attempts", message.attempts + 1)
            line.add("took_ms", Int(delivery.took.inMilliseconds))
            line.add("answer", delivery.answer)
        }
    }

    /// Logged at the 1st, 2nd, 4th, 8th … attempt.
    static func failed(_ message: QueuedMessage, cause: String?) -> LogLine? {
        guard message.attempts & (message.attempts - 1) == 0 else { return nil }
        return LogLine(.warning, "notify.failed") { line in
            line.add(message)
            line.add("attempts", message.attempts)
            line.add("retry_at", message.notBefore)
            line.add("message", cause)
        }
    }

    static func dropped(
        _ message: QueuedMessage, _ reason: ChannelQueue.DropReason, cause: String? = nil
    ) -> LogLine {
        LogLine(.error, "notify.dropped") { line in
            line.add(message)
            line.add("attempts", message.attempts + (reason == .refused ? 1 : 0))
            line.add("reason", reason.code)
            line.add("message", cause ?? reason.message)
        }
    }
}

extension LogFields {
    /// The key is not `event_id`, which marks the events that are in the log.
    fileprivate mutating func add(_ message: QueuedMessage) {
        add("channel", message.channel)
        add("id", message.id)
        if message.events.count == 1, let alert = message.events.first?.alert {
            add("rule", alert.rule)
            add("market", alert.market.text)
        } else {
            add("events", message.events.count)
        }
        add("created_at", message.createdAt)
    }
}
