import Foundation
import Markets

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
        _ message: QueuedMessage, _ reason: DeliveryQueue.DropReason, cause: String? = nil
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

extension DeliveryQueue.DropReason {
    fileprivate var code: String {
        switch self {
        case .maxAge: "max_age"
        case .noChannel: "no_channel"
        case .refused: "refused"
        case .lost: "lost"
        }
    }

    fileprivate var message: String? {
        switch self {
        case .maxAge(let age): "it could not be delivered for \(age.unitsText)"
        case .noChannel: "no channel of this name is configured any more"
        case .lost: "the database no longer holds what it was to say"
        case .refused: nil
        }
    }
}
