import Engine
import Foundation
import Markets

/// What happened in one turn of the daemon, as it was recorded. Markets go by their place among the replay's.
public struct RecordedTurn: Sendable {
    public var kind: Kind
    /// What was recorded before this turn has smaller numbers.
    public var number: Int64
    /// At a start or a recall: prices were healed that the windows did not know before.
    public var bringsHealed = false
    /// The markets that were watched from this turn on; nil: those of the turn before.
    public var watched: [Int]?

    public enum Kind: Sendable {
        /// A daemon began.
        case start(Date)
        /// The daemon took in what was healed.
        case recalled(Date)
        /// Nobody was asked, since a wait held.
        case waiting(Date)
        /// What the feeds said that were asked; never empty.
        case polls([RecordedPoll])
        /// Nobody need have polled: prices of this moment were healed later. Only in a replay that asks for them.
        case healed([RecordedPoll.Sample], feed: String)
    }
}

/// A recorded poll with all that it said.
public struct RecordedPoll: Sendable {
    /// When it began.
    public var at: Date
    /// When its answer was complete, or it was given up.
    public var fetchedAt: Date
    public var feed: String
    /// Whose markets the feed was asked for.
    public var lane: Lane
    /// The time between two polls that led to it; zero: as configured.
    public var interval: Duration
    public var outcome: PollOutcome
    /// The kind of the error, where there was one.
    public var error: String?
    /// What was new, trusted or not.
    public var samples: [Sample] = []
    /// Markets that were not known, or not by the provider's latest word. Those that stand neither here nor among the
    /// samples were known and unchanged.
    public var unknown: [(market: Int, reason: UnknownReason)] = []

    public struct Sample: Sendable {
        public var market: Int
        public var quotedAt: Date
        public var price: Price
    }
}
