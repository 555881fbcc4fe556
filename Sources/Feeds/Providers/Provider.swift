import Foundation
import HTTP
import Markets

/// A source of prices, one file for each: its requests, row decoding, mapping to `Quote`, and error codes.
package protocol Provider: Sendable {
    /// The requests of one poll: markets by name first, then the largest.
    func pages(for watch: Watch) -> [PageRequest]
    /// The headers of every request: the key's, and others that the provider requires.
    func headers(with key: Secret?) -> [(name: String, value: String)]
    /// The meaning of this provider's own codes.
    var errors: ProviderErrors { get }
    /// The first and the longest wait after it refused a request; each is twice as long as the one before.
    var blocks: ClosedRange<Duration> { get }
    /// True if one unknown name makes it refuse the whole request.
    var refusesUnknownNames: Bool { get }
}

extension Provider {
    package func headers(with key: Secret?) -> [(name: String, value: String)] { [] }
    package var errors: ProviderErrors { ProviderErrors() }
    package var blocks: ClosedRange<Duration> { StoredCooldown.usualBlocks }
    package var refusesUnknownNames: Bool { false }
}

/// A provider with a built-in name.
package protocol ListedProvider: Provider {
    static var name: String { get }
    /// By plan. A provider without plans has `public` only.
    static var terms: [ProviderPlan: ProviderTerms] { get }
    /// Whether the largest markets can be requested.
    static var ranksMarkets: Bool { get }

    var plan: ProviderPlan { get }

    init(plan: ProviderPlan)
}

extension ListedProvider {
    package func headers(with key: Secret?) -> [(name: String, value: String)] {
        guard let key, let header = Self.terms[plan]?.keyHeader else { return [] }
        return [(header, key.revealed)]
    }
}

/// A provider's plan.
package enum ProviderPlan: String, Sendable, CaseIterable {
    /// Without a key.
    case `public`
    /// A free account.
    case demo
    /// A paid account.
    case pro

    package var needsKey: Bool { self != .public }
}

/// The limits of a plan. Each provider states them in its own file.
package struct ProviderTerms: Sendable {
    package var baseURL: String
    /// The header that carries the key; nil without a key.
    var keyHeader: String?
    /// Requests a month; nil if not known.
    package var quotaMonth: Int?
    /// The default poll interval.
    package var every = Duration.seconds(60)
    /// The interval between backfill requests, which are sent beside the polls.
    package var pastEvery = Duration.seconds(10)
}

// MARK: Pages of a poll

/// One page of a poll.
package struct PageRequest: Sendable {
    package enum Content: Sendable {
        /// These markets, by name.
        case named([Watch.Entry])
        /// The next ones by market cap.
        ///
        /// - Parameter page: From 1.
        case ranked(page: Int)

        /// True if the error may concern the named markets only, so that the next page may succeed.
        func isRefused(by error: FeedError) -> Bool {
            guard case .named(let entries) = self else { return false }
            if entries.count == 1, error.kind == .decode { return true }
            return error.kind == .notFound || error.kind == .badRequest
        }
    }

    var request: any FeedRequest<[QuoteRow]>
    var content: Content
}

extension Watch {
    /// The maximum length of names in a URL, in bytes. Servers commonly accept request lines of 8 KiB.
    private static var longestNames: Int { 6000 }

    /// Requests for the named markets, at most `size` in each and short enough for a URL.
    func namedPages(of size: Int, _ request: ([Entry]) -> any FeedRequest<[QuoteRow]>) -> [PageRequest] {
        var pages: [[Entry]] = []
        var bytes = 0
        for entry in entries {
            // Each byte outside ASCII takes three when encoded.
            let length = entry.providerID.utf8.reduce(1) { $0 + ($1 < 128 ? 1 : 3) }
            if let last = pages.last, last.count < size, bytes + length <= Self.longestNames {
                pages[pages.count - 1].append(entry)
                bytes += length
            } else {
                pages.append([entry])
                bytes = length
            }
        }
        return pages.map { PageRequest(request: request($0), content: .named($0)) }
    }

    /// Requests for the named markets, then for the largest.
    func pages(of size: Int, _ request: (PageRequest.Content) -> any FeedRequest<[QuoteRow]>) -> [PageRequest] {
        let named = namedPages(of: size) { request(.named($0)) }
        return named
            + stride(from: 0, to: top, by: size).map {
                let content = PageRequest.Content.ranked(page: $0 / size + 1)
                return PageRequest(request: request(content), content: content)
            }
    }
}

extension [Watch.Entry] {
    /// The provider's ids, separated by commas.
    var idList: String { map(\.providerID).joined(separator: ",") }

    /// Our market ids by the provider's.
    var names: [String: MarketID] {
        Dictionary(map { ($0.providerID, $0.market) }, uniquingKeysWith: { first, _ in first })
    }
}

// MARK: Past prices

/// A provider with past prices.
package protocol PastProvider: Provider {
    /// The request for the newest part of a range; nil if the provider has no prices of it.
    func pastPage(of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date) -> PastPage?
}

/// One request for past prices of one market.
package struct PastPage: Sendable {
    var request: any FeedRequest<[PastQuote]>
    /// The part of the range that the answer covers, up to the range's end.
    package var span: Range<Date>
    /// The approximate distance between the answer's prices: shorter holes cannot be filled.
    package var step: Duration
}
