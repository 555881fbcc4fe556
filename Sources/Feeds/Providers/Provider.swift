public import Markets

/// A source of prices. One file each: its requests, its private wire types, its mapping to `Quote`, its codes.
public protocol Provider: Sendable {
    /// The requests of one poll: the markets asked by name first, then the largest.
    func pages(for watch: Watch) -> [PageRequest]
    /// The header that carries the key.
    func header(for key: Secret) -> (name: String, value: String)?
    /// What this provider's own codes mean.
    var errorCodes: [Int: ErrorRule] { get }
}

extension Provider {
    public var errorCodes: [Int: ErrorRule] { [:] }
}

/// One page of a poll.
public struct PageRequest: Sendable {
    public enum Content: Sendable {
        /// These markets, by name.
        case named([MarketID])
        /// The next ones by market cap.
        case ranked

        /// True where the error may be about the markets named, and so says nothing of the next page.
        func isRefused(by error: FeedError) -> Bool {
            guard case .named = self else { return false }
            return error.kind == .notFound || error.kind == .badRequest
        }
    }

    public var request: any FeedRequest<QuotePage>
    public var content: Content

    public init(_ request: any FeedRequest<QuotePage>, _ content: Content) {
        self.request = request
        self.content = content
    }
}
