import Foundation
import Markets

/// The state of all alerts for one channel: what fires now, and what was resolved a short while ago.
package struct StatePost: Hashable, Sendable {
    package var channel: String
    /// The newest event of each; without those that are silenced.
    package var firing: [AlertEvent]
    /// The resolves of alerts that the channel had as firing.
    package var resolved: [AlertEvent]
    /// When a firing alert ends there, unless it is posted again.
    package var endsAt: Date
    /// How long one address may take to answer.
    package var limit: Duration

    package init(
        channel: String, firing: [AlertEvent], resolved: [AlertEvent] = [], endsAt: Date, limit: Duration
    ) {
        self.channel = channel
        self.firing = firing
        self.resolved = resolved
        self.endsAt = endsAt
        self.limit = limit
    }
}

extension AlertEvent {
    /// When its alert began to fire. Before the first firing, `since` is when the condition began to hold.
    package var firingSince: Date { kind == .firing ? at : since ?? at }
}

/// What the addresses of a channel answered to a post.
package struct StateAnswers: Hashable, Sendable {
    package var channel: String
    /// In the order of the configuration; empty if nothing was posted.
    package var addresses: [Address] = []

    package struct Address: Hashable, Sendable {
        /// Host and port.
        package var host: String
        package var outcome: Outcome

        package init(host: String, _ outcome: Outcome) {
            self.host = host
            self.outcome = outcome
        }
    }

    package enum Outcome: Hashable, Sendable {
        case taken
        /// It took those that it finds valid, and not all are.
        case refused(cause: String)
        case failed(cause: String)
        /// Cancelled because the daemon stopped.
        case interrupted

        var cause: String? {
            switch self {
            case .refused(let cause), .failed(let cause): cause
            case .taken, .interrupted: nil
            }
        }
    }

    package init(channel: String, addresses: [Address] = []) {
        self.channel = channel
        self.addresses = addresses
    }

    /// Whether an address has the alerts.
    var isReached: Bool {
        addresses.contains { address in
            switch address.outcome {
            case .taken, .refused: true
            case .failed, .interrupted: false
            }
        }
    }
}
