import Engine
import Foundation
import Markets

/// Where messages go: a service on the network, or a program of the owner's.
protocol Channel: Sendable {
    /// As rules call it.
    var name: String { get }

    /// Sends one message, all within the channel's timeout. Any 2xx of a service, or a program's exit 0, is delivered.
    func deliver(_ message: Message) async throws(DeliveryError) -> Receipt
}

/// What a channel is to tell.
struct Message: Hashable, Sendable {
    /// The same at each attempt, so that a receiver can tell a repetition from news. The `Idempotency-Key`.
    var id: String
    var content: Content

    enum Content: Hashable, Sendable {
        /// At least one; more than one where they come grouped. In the order in which they happened.
        case events([AlertEvent])
        case note(Note)
    }
}

/// A message that is about no alert.
struct Note: Hashable, Sendable, Codable {
    var kind: Kind
    /// Stands alone on a phone's lock screen: at most 60 characters.
    var title: String
    /// What follows it, a line each.
    var lines: [String] = []
    var at: Date
    var host: String
    /// What it puts into words, for programs; kept beside it, not in it.
    var events: [AlertEvent] = []

    private enum CodingKeys: String, CodingKey { case kind, title, lines, at, host }

    enum Kind: String, Hashable, Sendable, Codable {
        /// Asked for by `notify-test`.
        case test
        /// The daily summary.
        case digest
        /// What happened while nothing was watched.
        case gap
    }
}

/// The answer to a message that was delivered, for people, such as `204` or `exit 0`. Its texts are from outside.
struct Receipt: Hashable, Sendable {
    var answer: String
}

/// Why a message did not arrive.
struct DeliveryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Operation, object, cause and cure, without any secret. Bounded; what comes from outside in it is escaped.
    var description: String
    /// Whether trying again is of no use, such as after a 404.
    var isPermanent: Bool
    /// Not before this much later, as the service asks.
    var retryAfter: Duration?
}
