import Foundation
import History
import Logging
import Markets

extension EventLog {
    func sent(_ message: QueuedMessage, _ receipt: Receipt?, took: Duration) {
        write(.info, "notify.sent") { line in
            line.add(message)
            line.add("attempts", message.attempts + 1)
            line.add("took_ms", Int(took.inMilliseconds))
            line.add("answer", receipt?.answer)
        }
    }

    /// Told at the 1st, 2nd, 4th, 8th … attempt.
    func failed(_ message: QueuedMessage, cause: String?) {
        guard message.attempts & (message.attempts - 1) == 0 else { return }
        write(.warning, "notify.failed") { line in
            line.add(message)
            line.add("attempts", message.attempts)
            line.add("retry_at", message.notBefore)
            line.add("message", cause)
        }
    }

    func dropped(_ message: QueuedMessage, _ reason: Lineup.DropReason, cause: String? = nil) {
        write(.error, "notify.dropped") { line in
            line.add(message)
            line.add("attempts", message.attempts + (reason == .refused ? 1 : 0))
            line.add("reason", reason.word)
            line.add("message", cause ?? reason.message)
        }
    }
}

extension LogFields {
    /// The key is not called `event_id`: that is how the log tells which events it has.
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

extension Lineup.DropReason {
    fileprivate var word: String {
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
