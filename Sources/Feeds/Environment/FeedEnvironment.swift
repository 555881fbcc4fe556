/// All that differs between test, staging and production.
public struct FeedEnvironment: Sendable {
    /// The feed's name in configuration, log and database.
    public var feed: String
    public var baseURL: BaseURL
    /// As the owner gave it, a secret but for scheme and host; nil: the provider's own.
    public var ownURL: Secret?
    public var key: Secret?
    /// Reads the key from where it is kept, once more, after the provider refused the present one.
    public var rereadKey: (@Sendable () async -> Secret?)?
    /// Such as `pricewatch/1.0 (+https://example.org)`.
    public var userAgent: String
    /// A whole request, from the name's resolution to the last byte.
    public var timeout: Duration

    public init(
        feed: String, baseURL: BaseURL, ownURL: Secret? = nil, key: Secret? = nil,
        rereadKey: (@Sendable () async -> Secret?)? = nil,
        userAgent: String, timeout: Duration = .seconds(20)
    ) {
        self.feed = feed
        self.baseURL = baseURL
        self.ownURL = ownURL
        self.key = key
        self.rereadKey = rereadKey
        self.userAgent = userAgent
        self.timeout = timeout
    }

    /// What is asked, in words for messages: without what may be secret of the URL.
    func place(of path: RequestPath) -> String {
        ownURL == nil ? baseURL.place(of: path) : baseURL.origin + "/…" + path.encoded
    }

    /// Tells one setting of URL and key from another, so that a block ends when its cause was edited.
    /// FNV-1a with 32 bits: the key cannot be found from it.
    func mark(key: Secret?, _ headers: [(name: String, value: String)]) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        let heads = headers.map { "\($0.name)\n\($0.value)" }.joined(separator: "\n")
        for byte in "\(ownURL?.revealed ?? baseURL.text)\n\(key?.revealed ?? "")\n\(heads)".utf8 {
            hash = (hash ^ UInt32(byte)) &* 16_777_619
        }
        return hash
    }
}
