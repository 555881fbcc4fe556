import Engine
import Foundation
import Markets

/// A recorded cycle of the daemon. Markets are indices into the replay's `markets`.
package struct RecordedCycle: Sendable {
    package var kind: Kind
    /// The markets watched from this cycle on; nil: as in the cycle before.
    package var watched: [Int]?

    package enum Kind: Sendable {
        /// No feed could be asked, since a cooldown held.
        case idle(Date)
        /// The answers of the feeds; never empty.
        case polls([RecordedPoll])
        /// Prices of this moment that were backfilled later. Only in a replay that asks for them.
        case backfilled([RecordedPoll.Sample], feed: String)
    }
}

/// A recorded poll with everything stored about it.
package struct RecordedPoll: Sendable {
    /// When it began.
    package var at: Date
    /// When the answer was complete, or the poll was given up.
    package var fetchedAt: Date
    package var feed: String
    /// The source whose markets were requested.
    package var source: SourceID
    /// The interval in force when the poll was due; zero: as configured.
    package var interval: Duration
    package var outcome: PollOutcome
    /// The kind of the error; nil if there was none.
    package var error: String?
    /// The new prices, trusted or not.
    package var samples: [Sample] = []
    /// Markets whose price was unknown, or not in the provider's latest answer. Markets neither here nor among the
    /// samples were known and unchanged.
    package var unknown: [(market: Int, reason: UnknownReason)] = []

    package struct Sample: Sendable {
        package var market: Int
        package var quotedAt: Date
        package var price: Price
    }
}
