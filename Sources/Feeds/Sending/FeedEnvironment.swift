import HTTP

/// What differs between test, staging and production.
package struct FeedEnvironment: Sendable {
    /// The feed's name in configuration, log and database.
    package var feed: String
    package var baseURL: BaseURL
    /// As the owner configured it, a secret except for scheme and host; nil: the provider's own.
    package var ownURL: Secret?
    package var key: Secret?
    /// Reads the key again, after the provider refused the present one.
    package var rereadKey: (@Sendable () async -> Secret?)?
    /// For example `pricewatch/1.0 (+https://example.org)`.
    package var userAgent: String
    /// The limit of a whole request, from name resolution to the last byte.
    package var timeout: Duration

    package init(
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

    /// The URL for messages, without parts that may be secret.
    func place(of path: RequestPath) -> String {
        ownURL == nil ? baseURL.place(of: path) : baseURL.origin + "/…" + path.encoded
    }

    /// Hides the secrets of a request. A header's value may hold a secret beside a word such as `Bearer`.
    func redaction(key: Secret?, _ headers: [(name: String, value: String)]) -> Redaction {
        let words = headers.flatMap { [$0.value] + $0.value.split(separator: " ").map(String.init) }
        return Redaction(
            [key?.revealed].compactMap { $0 } + words.filter { $0.utf8.count >= 8 }, url: ownURL?.revealed)
    }

    /// A hash of URL and key, so that a block ends when its cause was edited. FNV-1a with 32 bits: the key cannot be
    /// derived from it.
    func mark(key: Secret?, _ headers: [(name: String, value: String)]) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        let heads = headers.map { "\($0.name)\n\($0.value)" }.joined(separator: "\n")
        for byte in "\(ownURL?.revealed ?? baseURL.text)\n\(key?.revealed ?? "")\n\(heads)".utf8 {
            hash = (hash ^ UInt32(byte)) &* 16_777_619
        }
        return hash
    }
}
