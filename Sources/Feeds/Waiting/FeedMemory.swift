/// What feeds remember across restarts. Stated here, fulfilled by whoever has a disk.
///
/// Nothing throws: an implementation that cannot write keeps what it is told in memory and reports that its own
/// way, since polling goes on.
public protocol FeedMemory: Sendable {
    /// The wait of a feed; nil where there is none.
    func wait(of feed: String) async -> FeedWait?
    /// Nil forgets it.
    func keep(_ wait: FeedWait?, of feed: String) async
    /// Adds one to the requests of that month, before it is sent, and returns the new count.
    func countRequest(of feed: String, in month: UTCMonth) async -> Int
    func requests(of feed: String, in month: UTCMonth) async -> Int
    /// A body kept under a name that says what was asked, such as its URL without what is secret of it; for id lists.
    func storedBody(_ name: String, of feed: String) async -> StoredBody?
    func keep(_ body: StoredBody, _ name: String, of feed: String) async
}

/// Remembers as long as the process lives: for tests, and where nothing may be written.
public actor TransientMemory: FeedMemory {
    private var waits: [String: FeedWait] = [:]
    private var counts: [String: [UTCMonth: Int]] = [:]
    private var bodies: [String: [String: StoredBody]] = [:]

    public init() {}

    public func wait(of feed: String) -> FeedWait? { waits[feed] }

    public func keep(_ wait: FeedWait?, of feed: String) { waits[feed] = wait }

    public func countRequest(of feed: String, in month: UTCMonth) -> Int {
        counts[feed, default: [:]][month, default: 0] += 1
        return requests(of: feed, in: month)
    }

    public func requests(of feed: String, in month: UTCMonth) -> Int { counts[feed]?[month] ?? 0 }

    public func storedBody(_ url: String, of feed: String) -> StoredBody? { bodies[feed]?[url] }

    public func keep(_ body: StoredBody, _ url: String, of feed: String) { bodies[feed, default: [:]][url] = body }
}
