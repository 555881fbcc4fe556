import Markets

/// A source of prices. One file each: its requests, its reading of rows, its mapping to `Quote`, its codes.
public protocol Provider: Sendable {
    /// The requests of one poll: the markets asked by name first, then the largest.
    func pages(for watch: Watch) -> [PageRequest]
    /// The header that carries the key.
    func header(for key: Secret) -> (name: String, value: String)?
    /// What goes into the head of every request: the key's header, and what else the provider asks for.
    func headers(with key: Secret?) -> [(name: String, value: String)]
    /// What this provider's own codes mean.
    var errorCodes: [Int: ErrorRule] { get }
    /// What an HTTP status means here, where it differs from what it means everywhere.
    var errorStatuses: [Int: ErrorRule] { get }
    /// What its messages mean, by their beginning, where it has no codes; the first that fits holds.
    var errorTexts: [(beginning: String, rule: ErrorRule)] { get }
    /// True where one unknown name makes it refuse the whole request, the others with it.
    var refusesUnknownNames: Bool { get }
}

extension Provider {
    public func header(for key: Secret) -> (name: String, value: String)? { nil }
    public func headers(with key: Secret?) -> [(name: String, value: String)] {
        key.flatMap(header).map { [$0] } ?? []
    }
    public var errorCodes: [Int: ErrorRule] { [:] }
    public var errorStatuses: [Int: ErrorRule] { [:] }
    public var errorTexts: [(beginning: String, rule: ErrorRule)] { [] }
    public var refusesUnknownNames: Bool { false }
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
            guard case .named(let markets) = self else { return false }
            if markets.count == 1, error.kind == .decode { return true }
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
