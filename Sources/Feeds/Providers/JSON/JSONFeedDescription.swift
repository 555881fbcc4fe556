/// How to ask any HTTP server for prices, and how to read its answer.
public struct JSONFeedDescription: Sendable {
    public enum TimeFormat: Sendable, Hashable { case iso8601, epochSeconds, epochMilliseconds }

    /// Pointers within one market.
    public struct Fields: Sendable {
        public var price: JSONPointer
        public var id: JSONPointer?
        public var quotedAt: JSONPointer?
        public var change24hPercent: JSONPointer?
        public var volume24h: JSONPointer?
        public var name: JSONPointer?
        public var symbol: JSONPointer?

        public init(price: JSONPointer) { self.price = price }
    }

    /// A URL with `{id}` or `{ids}`, `{currency}` and `{key}` in path or query.
    public var url: URLTemplate
    /// Values may hold `{key}`.
    public var headers: [(name: String, value: Secret)] = []
    /// Where the markets are: a list, or an object keyed by id.
    public var list: JSONPointer?
    public var fields: Fields
    public var timeFormat = TimeFormat.iso8601
    public var acceptedContent = AcceptedContent.json

    public init(url: URLTemplate, fields: Fields) {
        self.url = url
        self.fields = fields
    }
}
