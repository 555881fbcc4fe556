import Foundation
import Markets

extension Engine {
    /// Starts due deliveries.
    mutating func chooseDeliveries(at now: Moment, _ plan: inout Plan) {
        guard !isStopping else { return }
        while let action = outbox.queue.next(at: now.wall) {
            switch action {
            case .send(let message):
                plan.deliveries.append(DeliveryRequest(message: message, parts: parts(of: message.id, plan)))
            case .drop(let message, let reason):
                plan.change(.remove(message.id), in: settings.currency)
                plan.log.append(.dropped(message, reason))
                publishOutbox(&plan)
            case .release(let held, let whole):
                plan.change(.join(held.map(\.id), into: whole), in: settings.currency)
            }
        }
    }

    mutating func endDelivery(_ delivery: Delivery, at now: Moment, _ plan: inout Plan) {
        let message = delivery.message
        let random = StableID.fraction(of: [message.id, String(message.attempts)])
        switch outbox.queue.finish(message, delivery.outcome, at: now.wall, random: random) {
        case .kept: return
        case .done:
            plan.change(.remove(message.id), in: settings.currency)
            plan.log.append(.sent(message, delivery))
        case .dropped(let reason):
            plan.change(.remove(message.id), in: settings.currency)
            plan.log.append(.dropped(message, reason, cause: delivery.outcome.cause))
        case .postponed(let later):
            plan.change(.postpone(later), in: settings.currency)
            if let line = LogLine.failed(later, cause: delivery.outcome.cause) { plan.log.append(line) }
        }
        publishOutbox(&plan)
    }

    /// Publishes the status if the outbox is empty or the failing channels have changed.
    private mutating func publishOutbox(_ plan: inout Plan) {
        let faults = outbox.faults
        guard outbox.size.queued == 0 || faults != outbox.publishedFaults else { return }
        outbox.publishedFaults = faults
        plan.publishChange()
    }

    /// Where a message's contents are: in changes not yet written, else in the database. Whether the database holds
    /// messages joined in this step as one is only known after the commit.
    private func parts(of message: String, _ plan: Plan) -> [DeliveryRequest.Part] {
        var parts = [DeliveryRequest.Part.stored(message)]
        for change in (unsaved.outbox + (plan.commit?.outbox ?? [])).reversed() {
            parts = parts.flatMap { part -> [DeliveryRequest.Part] in
                guard case .stored(let id) = part else { return [part] }
                switch change {
                case .queue(let outgoing) where outgoing.queued.id == id: return [.held(outgoing.contents)]
                case .join(let held, let whole) where whole.id == id: return held.map { .stored($0) }
                default: return [part]
                }
            }
        }
        return parts
    }
}

extension Plan {
    /// Adds a change to the plan's commit.
    mutating func change(_ change: OutboxChange, in currency: Currency) {
        var commit = commit ?? Commit(currency: currency)
        commit.outbox.append(change)
        self.commit = commit
    }
}
