import Foundation
import Markets

/// What a poll of one feed brought.
public struct FeedAnswer: Sendable {
    /// Usable prices: the markets asked by name in their order, then the others by rank.
    public internal(set) var quotes: [Quote] = []
    /// Markets whose rows held no usable price.
    public internal(set) var unusable: [MarketID: RowFault] = [:]
    /// Asked by name and not in the answer, in the order they were asked.
    public internal(set) var missing: [MarketID] = []
    /// The N largest by rank, also those without a usable price; fewer where pages failed.
    public internal(set) var top: [MarketID] = []
    /// Rows without an id that could be a market's.
    public internal(set) var namelessRows = 0

    /// Asked by name on pages that failed: nothing is known about them.
    public internal(set) var notReached: [MarketID] = []
    /// True where some of the N largest were on a page that failed.
    public internal(set) var topIsIncomplete = false
    /// Why the last page that failed did so; nil where all pages came.
    public internal(set) var pageError: FeedError?

    /// The moment the answer was complete.
    public internal(set) var fetchedAt: Date
    /// The provider's clock at that moment, from the `Date` header; nil where there is none.
    public internal(set) var serverDate: Date?
    /// The longest `max-age` of the pages; nil where none is stated.
    public internal(set) var maxAge: Duration?
    /// Every page was answered with 304: the quotes are those of before.
    public internal(set) var isUnchanged = false

    init(fetchedAt: Date) { self.fetchedAt = fetchedAt }

    /// The error of a poll whose answer was sound but held no usable price; nil where there is one.
    public var noUsablePrice: FeedError? {
        guard quotes.isEmpty else { return nil }
        if let pageError { return pageError }
        var parts: [String] = []
        if !missing.isEmpty { parts.append("\(missing.count) not answered") }
        if !unusable.isEmpty { parts.append("\(unusable.count) without a usable price") }
        if parts.isEmpty { parts.append("no market in it") }
        return FeedError(
            .empty, operation: "read the answer", cause: "no usable price: " + parts.joined(separator: ", "),
            cure: "check ids and currency", isRetryable: true)
    }
}

/// How a poll of one feed ended.
public struct PollReport: Sendable {
    public enum Outcome: Sendable {
        /// At least one page came and was sound.
        case answered(FeedAnswer)
        case failed(FeedError)
        /// Nothing was sent.
        case waiting(FeedWait, until: Date)
    }

    public var outcome: Outcome
    /// HTTP requests sent.
    public var requests: Int
    /// The wait that holds for the polls to come.
    public var wait: FeedWait?
}
