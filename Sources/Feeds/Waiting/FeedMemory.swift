import Markets

/// What feeds remember across restarts; implemented by the store.
///
/// Nothing throws: an implementation that cannot write keeps the values in memory and reports the error itself, since
/// polling goes on.
package protocol FeedMemory: Sendable {
    /// The cooldown of a feed; nil if there is none.
    func wait(of feed: String) async -> StoredCooldown?
    /// Nil deletes it.
    func keep(_ wait: StoredCooldown?, of feed: String) async
    /// Adds one to the requests of this month, before the request is sent, and returns the new count.
    func countRequest(of feed: String, in month: UTCMonth) async -> Int
    func requests(of feed: String, in month: UTCMonth) async -> Int
    /// A body stored under a name that identifies the request, such as its URL without secrets; for id lists.
    func storedBody(_ name: String, of feed: String) async -> StoredBody?
    func keep(_ body: StoredBody, _ name: String, of feed: String) async
}

/// Remembers until the process ends: for tests, and if nothing may be written.
package actor TransientMemory: FeedMemory {
    private var waits: [String: StoredCooldown] = [:]
    private var counts: [String: [UTCMonth: Int]] = [:]
    private var bodies: [String: [String: StoredBody]] = [:]

    package init() {}

    package func wait(of feed: String) -> StoredCooldown? { waits[feed] }

    package func keep(_ wait: StoredCooldown?, of feed: String) { waits[feed] = wait }

    package func countRequest(of feed: String, in month: UTCMonth) -> Int {
        counts[feed, default: [:]][month, default: 0] += 1
        return requests(of: feed, in: month)
    }

    package func requests(of feed: String, in month: UTCMonth) -> Int { counts[feed]?[month] ?? 0 }

    package func storedBody(_ url: String, of feed: String) -> StoredBody? { bodies[feed]?[url] }

    package func keep(_ body: StoredBody, _ url: String, of feed: String) { bodies[feed, default: [:]][url] = body }
}
