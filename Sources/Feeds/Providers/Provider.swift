import Foundation
import HTTP
import Markets

/// A source of prices, one file for each: its requests, row decoding, mapping to `Quote`, and error codes.
package protocol Provider: Sendable {
    /// The requests of one poll: markets by name first, then the largest.
    func pages(for watch: Watch) -> [PageRequest]
    /// The header that carries the key.
    func header(for key: Secret) -> (name: String, value: String)?
    /// The headers of every request: the key's, and others that the provider requires.
    func headers(with key: Secret?) -> [(name: String, value: String)]
    /// The meaning of this provider's own codes.
    var errorCodes: [Int: ErrorRule] { get }
    /// The meaning of an HTTP status, where it differs from the general one.
    var errorStatuses: [Int: ErrorRule] { get }
    /// The meaning of its messages by prefix, if it has no codes; the first match applies.
    var errorTexts: [(beginning: String, rule: ErrorRule)] { get }
    /// True if one unknown name makes it refuse the whole request.
    var refusesUnknownNames: Bool { get }
}

extension Provider {
    package func header(for key: Secret) -> (name: String, value: String)? { nil }
    package func headers(with key: Secret?) -> [(name: String, value: String)] {
        key.flatMap(header).map { [$0] } ?? []
    }
    package var errorCodes: [Int: ErrorRule] { [:] }
    package var errorStatuses: [Int: ErrorRule] { [:] }
    package var errorTexts: [(beginning: String, rule: ErrorRule)] { [] }
    package var refusesUnknownNames: Bool { false }
}

/// One page of a poll.
package struct PageRequest: Sendable {
    package enum Content: Sendable {
        /// These markets, by name.
        case named([MarketID])
        /// The next ones by market cap.
        case ranked

        /// True if the error may concern the named markets only, so that the next page may succeed.
        func isRefused(by error: FeedError) -> Bool {
            guard case .named(let markets) = self else { return false }
            if markets.count == 1, error.kind == .decode { return true }
            return error.kind == .notFound || error.kind == .badRequest
        }
    }

    package var request: any FeedRequest<QuotePage>
    package var content: Content

    package init(_ request: any FeedRequest<QuotePage>, _ content: Content) {
        self.request = request
        self.content = content
    }
}

extension [Watch.Entry] {
    /// The maximum length of names in a URL, in bytes. Servers commonly accept request lines of 8 KiB.
    private static var longestNames: Int { 6000 }

    /// Splits the entries into requests of at most `count` names, each short enough for a URL.
    func pages(of count: Int) -> [[Watch.Entry]] {
        var pages: [[Watch.Entry]] = []
        var bytes = 0
        for entry in self {
            // Each byte outside ASCII takes three when encoded.
            let length = entry.providerID.utf8.reduce(1) { $0 + ($1 < 128 ? 1 : 3) }
            if let last = pages.last, last.count < count, bytes + length <= Self.longestNames {
                pages[pages.count - 1].append(entry)
                bytes += length
            } else {
                pages.append([entry])
                bytes = length
            }
        }
        return pages
    }

    /// Our market ids by the provider's.
    var names: [String: MarketID] {
        Dictionary(map { ($0.providerID, $0.market) }, uniquingKeysWith: { first, _ in first })
    }
}

/// A provider with past prices.
package protocol PastProvider: Provider {
    /// The request for the newest part of a range; nil if the provider has no prices of it.
    func pastPage(of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date) -> PastPage?
}

/// One request for past prices of one market.
package struct PastPage: Sendable {
    package var request: any FeedRequest<[PastQuote]>
    /// The part of the range that the answer covers, up to the range's end.
    package var span: Range<Date>
    /// The approximate distance between the answer's prices: shorter holes cannot be filled.
    package var step: Duration

    init(_ request: any FeedRequest<[PastQuote]>, _ span: Range<Date>, step: Duration) {
        self.request = request
        self.span = span
        self.step = step
    }
}
