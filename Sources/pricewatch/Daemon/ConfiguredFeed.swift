import Feeds
import HTTP
import Logging
import Markets

extension Configuration.Feed {
    /// The provider that this feed polls.
    func madeProvider() throws -> any Provider {
        if let listed = provider.listed { return listed.init(plan: plan) }
        return try described()
    }

    private func described() throws -> JSONFeed {
        guard let json, let template = url.flatMap(URLTemplate.init), let list = JSONPointer(json.list),
            let price = JSONPointer(json.fields.price)
        else {
            throw CommandError("feed \(name): its url or its fields cannot be used", Exit.configuration)
        }
        var fields = JSONFeed.Fields(price: price)
        fields.id = json.fields.id.flatMap(JSONPointer.init)
        fields.quotedAt = json.fields.quotedAt.flatMap(JSONPointer.init)
        fields.change24hPercent = json.fields.change24h.flatMap(JSONPointer.init)
        fields.volume24h = json.fields.volume24h.flatMap(JSONPointer.init)
        fields.name = json.fields.name.flatMap(JSONPointer.init)
        fields.symbol = json.fields.symbol.flatMap(JSONPointer.init)
        var feed = JSONFeed(url: template, list: list, fields: fields)
        feed.headers = json.headers.map { ($0.name, Secret($0.value.revealed)) }
        feed.timeFormat = JSONFeed.TimeFormat(rawValue: json.timeFormat.rawValue) ?? .iso8601
        feed.acceptedContent = json.contentType == .any ? .any : .json
        return feed
    }
}

extension FeedEnvironment {
    init(_ feed: Configuration.Feed, timeout: Duration) throws {
        let key = feed.key
        let url = feed.provider == .json ? feed.url.flatMap(URLTemplate.init)?.base : feed.url ?? feed.terms?.baseURL
        self.init(
            feed: feed.name, baseURL: try BaseURL(url ?? "", allowHTTP: feed.allowHTTP),
            userAgent: "pricewatch/\(Version.current)", timeout: timeout)
        ownURL = feed.url.map { Secret($0) }
        self.key = key.map { Secret($0.revealed) }
        rereadKey = { key?.readAgain().map { Secret($0.revealed) } }
    }
}

extension RetryPolicy {
    init(_ retry: Configuration.Poll.Retry) {
        self.init(attempts: retry.attempts, base: retry.base, cap: retry.cap)
    }
}

extension LineLogHandler.Format {
    init(_ format: Configuration.Log.Format) { self = format == .json ? .json : .text }
}

extension Logger.Level {
    init(_ level: Configuration.Log.Level) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
    }
}
