import Feeds
import HTTP
import Logging
import Markets

extension Configuration.Feed {
    /// The provider that this feed polls.
    func madeProvider() throws -> any Provider {
        if let listed = provider.listed { return listed.init(plan: plan) }
        return JSONFeed(try described())
    }

    private func described() throws -> JSONFeedDescription {
        guard let json, let template = url.flatMap(URLTemplate.init), let price = JSONPointer(json.fields.price) else {
            throw CommandError("feed \(name): its url or its fields cannot be used", Exit.configuration)
        }
        var fields = JSONFeedDescription.Fields(price: price)
        fields.id = json.fields.id.flatMap(JSONPointer.init)
        fields.quotedAt = json.fields.quotedAt.flatMap(JSONPointer.init)
        fields.change24hPercent = json.fields.change24h.flatMap(JSONPointer.init)
        fields.volume24h = json.fields.volume24h.flatMap(JSONPointer.init)
        fields.name = json.fields.name.flatMap(JSONPointer.init)
        fields.symbol = json.fields.symbol.flatMap(JSONPointer.init)
        var description = JSONFeedDescription(url: template, fields: fields)
        description.headers = json.headers.map { ($0.name, Secret($0.value.revealed)) }
        description.list = JSONPointer(json.list)
        description.timeFormat =
            switch json.timeFormat {
            case .iso8601: .iso8601
            case .epochSeconds: .epochSeconds
            case .epochMilliseconds: .epochMilliseconds
            }
        description.acceptedContent = json.contentType == .any ? .any : .json
        return description
    }
}

extension FeedEnvironment {
    init(_ feed: Configuration.Feed, timeout: Duration) throws {
        let key = feed.key
        let url = feed.provider == .json ? feed.url.flatMap(URLTemplate.init)?.base : feed.url ?? feed.terms?.baseURL
        self.init(
            feed: feed.name, baseURL: try BaseURL(url ?? "", allowHTTP: feed.allowHTTP),
            ownURL: feed.url.map { Secret($0) }, key: key.map { Secret($0.revealed) },
            rereadKey: { key?.readAgain().map { Secret($0.revealed) } },
            userAgent: "pricewatch/\(Version.current)", timeout: timeout)
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
