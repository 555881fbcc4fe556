import Foundation
import Markets

/// An input of `Engine.step`.
package enum Input: Sendable {
    /// The timer fired, or the daemon started.
    case woke
    case answered(SourceID, PollResult)
    case delivered(Delivery)
    /// The post of a plan's state ended.
    case stated(StateAnswers)
    /// The heartbeat request ended; `fault` is nil if it succeeded.
    case heartbeat(fault: String?)
    /// The answer to `Plan.readGap`.
    case gapRead(GapReading)
    /// Another program wrote to the database.
    case changedOutside(OutsideChange)
    /// A backfill round ended; nil if it stored no prices.
    case backfilled(Remembered?)
    /// A request to a time-series engine ended.
    case exported(ExportResult)
    /// `lost`: how many samples were deleted before an export had sent them, by its name.
    case pruned(isStillTooLarge: Bool, lost: [String: Int] = [:])
    case reload(Settings, Remembered)
    /// The configuration file was refused, and why.
    case rejected(String)
    case stop
}

/// How the delivery of one message ended.
package struct Delivery: Hashable, Sendable {
    package var message: QueuedMessage
    package var outcome: Outcome
    /// What the channel answered; untrusted text.
    package var answer: String?
    package var took: Duration

    package enum Outcome: Hashable, Sendable {
        case delivered
        case failed(cause: String, retryAfter: Duration?)
        /// The channel rejected it permanently.
        case refused(cause: String)
        /// The database no longer holds its contents.
        case lost
        /// Cancelled because the daemon stopped.
        case interrupted

        var cause: String? {
            switch self {
            case .failed(let cause, _), .refused(let cause): cause
            case .delivered, .lost, .interrupted: nil
            }
        }
    }

    package init(of message: QueuedMessage, _ outcome: Outcome, answer: String? = nil, took: Duration = .zero) {
        self.message = message
        self.outcome = outcome
        self.answer = answer
        self.took = took
    }
}

/// What the history holds about a gap, read when the cycle that ends it starts.
package struct GapReading: Sendable {
    /// Backfilled prices of the gap, oldest first.
    package var backfilled: [MarketID: [PastQuote]] = [:]
    /// The markets that will be backfilled.
    package var backfillable: [MarketID] = []
    /// The prices of a day before the gap's end.
    package var past: [PastPrice] = []
}

extension GapReading {
    package init(past: [PastPrice]) { self.init(backfilled: [:], past: past) }
}

/// What other programs wrote to the database.
package struct OutsideChange: Sendable {
    /// The silences in the database; nil: unchanged.
    package var silences: [Silence]?
    /// Set if the database could not be read before: its installation id and its alerts.
    package var installation: (id: String, alerts: [AlertKey: Alert])?
    /// Set if prices were backfilled or deleted: the reloaded history.
    package var backfilled: Remembered?

    package init() {}
}

/// The work that `Engine.step` asks for, to be done in the order of the properties.
package struct Plan: Sendable {
    /// Nil: nothing to write.
    package var commit: Commit?
    package var log: [LogLine] = []
    package var publish: Publication?
    package var polls: [PollRequest] = []
    package var deliveries: [DeliveryRequest] = []
    package var exports: [ExportRequest] = []
    package var states: [StatePost] = []
    package var sendsHeartbeat = false
    /// Starts a backfill round. Two polls no further apart than this leave no gap. Nil: no round.
    package var backfill: Duration?
    package var prunes = false
    /// The gap to read from the history; nil: none.
    package var readGap: GapRequest?
    /// Uptime of the next wake-up; nil: no timer.
    package var nextWake: Duration?
    /// The daemon may exit.
    package var isOver = false

    package enum Publication: Hashable, Sendable {
        case changed
        /// A cycle has ended: only then `expires_at` moves on.
        case cycleEnded
    }

    package struct GapRequest: Hashable, Sendable {
        /// The last usable poll before it.
        package var since: Date
        /// Two polls no further apart than this leave no gap.
        package var longestStep: Duration
        /// The polls whose samples the summary needs; nil: it has them.
        package var past: Range<Date>?
    }

    /// Ids of the events among the log lines.
    private(set) var loggedEvents: [String] = []

    mutating func publishChange() { publish = publish ?? .changed }

    mutating func log(_ event: AlertEvent) {
        log.append(.alert(event))
        loggedEvents.append(event.id)
    }
}

/// One message to be sent now.
package struct DeliveryRequest: Hashable, Sendable {
    package var message: QueuedMessage
    /// Where its contents are.
    package var parts: [Part]

    package enum Part: Hashable, Sendable {
        /// Under this id in the database.
        case stored(String)
        case held(OutgoingMessage.Contents)
    }

    /// The message's contents.
    ///
    /// - Parameter stored: finds a message in the database.
    /// - Returns: nil if no contents are found.
    package func contents<Fault: Error>(
        _ stored: (String) throws(Fault) -> OutgoingMessage.Contents?
    ) throws(Fault) -> OutgoingMessage.Contents? {
        var whole = OutgoingMessage.Contents(events: [])
        for part in parts {
            switch part {
            case .held(let contents): whole.add(contents)
            case .stored(let id):
                // Messages that the last commit joined are found under the id of the whole.
                guard let found = try stored(id) else { return try stored(message.id) }
                whole.add(found)
            }
        }
        return whole
    }
}
