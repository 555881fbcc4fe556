import Foundation

/// The result of one poll of a feed.
package struct PollResult: Sendable {
    /// By its name in the configuration.
    package var feed: String
    package var outcome: Outcome
    /// HTTP requests sent.
    package var requests = 0
    /// Requests that this feed has sent so far in the UTC month in which the poll ended.
    package var requestsThisMonth = 0
    /// Requests that failed and were sent again, in order.
    package var retries: [Retry] = []
    /// The cooldown that applies to the next poll; nil: none.
    package var cooldown: FeedCooldown?

    package enum Outcome: Sendable {
        /// At least one page was valid.
        case answered(Answer)
        case failed(PollError)
        /// Nothing was sent because of a cooldown.
        case waiting(until: Date)
    }

    package struct Retry: Hashable, Sendable {
        /// The request that failed, from 1, counted for its page.
        package var attempt: Int
        /// The pause before the next.
        package var delay: Duration
        package var error: PollError

        package init(attempt: Int, delay: Duration, error: PollError) {
            self.attempt = attempt
            self.delay = delay
            self.error = error
        }
    }

    package init(feed: String, _ outcome: Outcome) {
        self.feed = feed
        self.outcome = outcome
    }

    package var answer: Answer? { if case .answered(let answer) = outcome { answer } else { nil } }

    /// The end of the cooldown that prevented the poll; nil if requests were sent.
    package var waitsUntil: Date? { if case .waiting(let until) = outcome { until } else { nil } }

    /// Why there is no price; nil if there is one, or nothing was sent.
    package var error: PollError? {
        switch outcome {
        case .answered(let answer): answer.noUsablePrice
        case .failed(let error): error
        case .waiting: nil
        }
    }
}

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
    /// A portfolio that lacks a fresh price of one of its parts.
    case incomplete
}

/// A time before which a feed must not be asked.
package struct FeedCooldown: Hashable, Sendable {
    package var until: Date
    /// The provider refuses all requests until the user acts.
    package var isBlock: Bool

    package init(until: Date, isBlock: Bool) {
        self.until = until
        self.isBlock = isBlock
    }
}

/// Why a poll returned no usable price.
package struct PollError: Hashable, Sendable {
    /// The kinds as written in the status file.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case dns, connect, tls, timeout, transport
        case rateLimited = "rate_limited"
        case quota, unauthorized, forbidden, blocked
        case notFound = "not_found"
        case badRequest = "bad_request"
        case server
        case badStatus = "bad_status"
        case tooLarge = "too_large"
        case contentType = "content_type"
        case decode, empty
    }

    package var kind: Kind
    /// One line for people: operation, object, cause and, in brackets, the hint. Escaped and bounded.
    package var message: String
    /// The same request may succeed later without action by the user.
    package var isRetryable: Bool
    /// The earliest time to ask the feed again; nil: now.
    package var retryAt: Date?

    package init(_ kind: Kind, message: String, isRetryable: Bool, retryAt: Date? = nil) {
        self.kind = kind
        self.message = message
        self.isRetryable = isRetryable
        self.retryAt = retryAt
    }

    /// The error of a valid answer without usable data.
    package static func empty(of feed: String, _ cause: String) -> PollError {
        PollError(.empty, message: "poll \(feed): \(cause)", isRetryable: true)
    }
}

/// What a poll asks a provider for.
package struct Watch: Sendable, Hashable {
    /// A market and the provider's id for it.
    package struct Entry: Sendable, Hashable {
        package var market: MarketID
        package var providerID: String

        package init(_ market: MarketID, providerID: String? = nil) {
            self.market = market
            self.providerID = providerID ?? market.text
        }
    }

    /// Asked by name, in this order, without duplicates.
    package var entries: [Entry]
    /// Also the N largest by market cap; 0 for none.
    package var top: Int
    package var currency: Currency

    /// There is nothing to ask for.
    package var isEmpty: Bool { entries.isEmpty && top == 0 }

    package init(_ entries: [Entry], top: Int = 0, currency: Currency) {
        var seen: Set<MarketID> = []
        self.entries = entries.filter { seen.insert($0.market).inserted }
        self.top = max(0, top)
        self.currency = currency
    }

    package init(_ markets: [MarketID], top: Int = 0, currency: Currency) {
        self.init(markets.map { Entry($0) }, top: top, currency: currency)
    }
}

extension UnknownReason: JSONScalar {}
extension PollError.Kind: JSONScalar {}
