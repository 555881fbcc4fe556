import Feeds
import History

/// What a command remembers of the feeds that it asks. Its requests count where the daemon counts its own, so that the
/// month's quota knows of them, and a wait that the provider named to the daemon holds for it, too. Where the database
/// cannot be written, or there is none, both last as long as the command.
struct CountedRequests: FeedMemory {
    private let daemon: FeedNotebook?
    private let own = TransientMemory()

    init(in database: String) { daemon = (try? HealingDesk(at: database)).map(FeedNotebook.init) }

    /// The daemon's own caution is not ours: somebody asks to see whether it is over.
    func wait(of feed: String) async -> FeedWait? {
        if let told = await own.wait(of: feed) { return told }
        guard var wait = await daemon?.wait(of: feed), let named = wait.namedUntil else { return nil }
        wait.until = named
        return wait
    }

    func keep(_ wait: FeedWait?, of feed: String) async { await own.keep(wait, of: feed) }

    func countRequest(of feed: String, in month: UTCMonth) async -> Int {
        guard let daemon else { return await own.countRequest(of: feed, in: month) }
        return await daemon.countRequest(of: feed, in: month)
    }

    func requests(of feed: String, in month: UTCMonth) async -> Int {
        guard let daemon else { return await own.requests(of: feed, in: month) }
        return await daemon.requests(of: feed, in: month)
    }

    func storedBody(_ url: String, of feed: String) async -> StoredBody? { await own.storedBody(url, of: feed) }
    func keep(_ body: StoredBody, _ url: String, of feed: String) async { await own.keep(body, url, of: feed) }
}
