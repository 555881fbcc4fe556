import Foundation

/// A provider's answer to one poll.
package struct Answer: Sendable {
    /// Usable prices: the markets asked by name in their order, then the others by rank.
    package var quotes: [Quote] = []
    /// Markets whose rows held no usable price.
    package var unusable: [MarketID: UnknownReason] = [:]
    /// Asked by name and not mentioned, in the order in which they were asked.
    package var missing: [MarketID] = []
    /// The N largest by rank, also those without a usable price; fewer where pages failed.
    package var ranking: [MarketID] = []
    /// Some of the N largest were on a page that failed.
    package var rankingIsIncomplete = false
    /// Asked by name on pages that failed: nothing is known about them.
    package var unreached: Set<MarketID> = []
    /// The error of the last page that failed; nil if none did.
    package var pageError: PollError?
    /// The moment the answer was complete.
    package var fetchedAt: Date
    /// The provider's clock at that moment, from the `Date` header; nil if there is none.
    package var serverDate: Date?
    /// The longest `max-age` of the pages; nil if none is stated.
    package var maxAge: Duration?
    /// Every page was answered with 304: the quotes are those of this feed's answer before.
    package var notModified = false

    package init(fetchedAt: Date) { self.fetchedAt = fetchedAt }

    /// The error of a poll whose answer was valid but held no usable price; nil if it held one.
    package var noUsablePrice: PollError? {
        guard quotes.isEmpty else { return nil }
        if let pageError { return pageError }
        var parts: [String] = []
        if !missing.isEmpty { parts.append("\(missing.count) not answered") }
        if !unusable.isEmpty { parts.append("\(unusable.count) without a usable price") }
        if parts.isEmpty { parts.append("no market in it") }
        return PollError(
            .empty,
            message: "read the answer: no usable price: \(parts.joined(separator: ", ")) (check ids and currency)",
            isRetryable: true)
    }
}

/// Why a market has no price now, or why its price is not the provider's latest.
package enum UnknownReason: String, Hashable, Sendable, CaseIterable {
    /// Asked for, and the answer does not mention it.
    case notAnswered = "not_answered"
    case nullPrice = "null_price"
    /// Not a number, zero, negative, or outside 1e-18 to 1e18.
    case badPrice = "bad_price"
    /// No poll has asked for it yet, or the last poll ended before it.
    case notAsked = "not_asked"
    /// The answer is older than what is known.
    case oldQuote = "old_quote"
    /// The feed has no id for this market.
    case noMapping = "no_mapping"
    /// A large move that waits for the next poll.
    case unconfirmed
}
