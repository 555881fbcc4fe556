import Feeds
import HTTP
import Markets

extension Configuration {
    /// The feed that polls as configured.
    func makeFeed(
        _ feed: Feed, over transport: any HTTPTransport, _ memory: any FeedMemory, _ time: any TimeSource = SystemTime()
    ) throws -> Feeds.Feed {
        guard let provider = feed.madeProvider else {
            throw CommandError("feed \(feed.name): its url or its fields cannot be used", Exit.configuration)
        }
        return Feeds.Feed(
            FeedClient(
                provider, try FeedEnvironment(feed, timeout: poll.timeout), transport: transport, memory: memory,
                retry: poll.retry, time: time))
    }
}

extension FeedEnvironment {
    init(_ feed: Configuration.Feed, timeout: Duration) throws {
        let key = feed.key
        let url = feed.json?.url.base ?? feed.url ?? feed.terms?.baseURL
        self.init(
            feed: feed.name, baseURL: try BaseURL(url ?? "", allowHTTP: feed.allowHTTP),
            userAgent: "pricewatch/\(Version.current)", timeout: timeout)
        ownURL = feed.url.map { Secret($0) }
        self.key = key
        rereadKey = { key?.readAgain() }
    }
}

extension Secret {
    /// Reads the secret's file again, so that a rotated key needs no restart; nil if it is not from a file, or the file
    /// contains no valid secret.
    func readAgain() -> Secret? {
        guard let file, let text = try? BoundedFile.text(file).withoutNewlineAtEnd else { return nil }
        return (try? Scalar.secret.parse(text)).map { Secret($0, file: file) }
    }
}
