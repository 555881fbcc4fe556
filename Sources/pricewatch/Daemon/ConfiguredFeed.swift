import Feeds
import Logging

extension CoinGecko {
    init(_ feed: Configuration.Feed) {
        self.init(plan: feed.plan == .pro ? .pro : feed.plan == .demo ? .demo : .public)
    }
}

extension FeedEnvironment {
    init(_ feed: Configuration.Feed, timeout: Duration) throws {
        let plan: CoinGecko.Plan = feed.plan == .pro ? .pro : feed.plan == .demo ? .demo : .public
        let key = feed.key
        self.init(
            feed: feed.name, baseURL: try BaseURL(feed.url ?? plan.baseURL, allowHTTP: feed.allowHTTP),
            key: key.map { Secret($0.revealed) }, rereadKey: { key?.readAgain().map { Secret($0.revealed) } },
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
