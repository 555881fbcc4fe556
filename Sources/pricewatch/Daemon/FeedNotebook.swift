import Feeds
import Foundation
import History
import Markets

/// What feeds remember across restarts, stored in the history. If that is not writable, it is kept in memory, and
/// counts are added to the history later.
actor FeedNotebook: FeedMemory {
    private let history: any HistoryStore
    private let transient = TransientMemory()
    private var uncounted: [String: [UTCMonth: Int]] = [:]
    /// As last stored. Requests that a command counts meanwhile are in the next count.
    private var counted: [String: [UTCMonth: Int]] = [:]

    init(_ history: any HistoryStore) { self.history = history }

    func wait(of feed: String) async -> StoredCooldown? {
        if let held = await transient.wait(of: feed) { return held }
        guard let stored = try? history.note("wait", of: feed) else { return nil }
        return try? JSONDecoder().decode(StoredCooldown.self, from: stored)
    }

    func keep(_ wait: StoredCooldown?, of feed: String) async {
        do {
            try history.keep(wait.map { try JSONEncoder().encode($0) }, as: "wait", of: feed)
            await transient.keep(nil, of: feed)
        } catch {
            await transient.keep(wait, of: feed)
        }
    }

    func countRequest(of feed: String, in month: UTCMonth) -> Int {
        let waiting = uncounted[feed]?[month] ?? 0
        if let count = try? history.countRequests(waiting + 1, of: feed, in: "\(month)") {
            uncounted[feed]?[month] = nil
            counted[feed] = [month: count]
            return count
        }
        uncounted[feed, default: [:]][month] = waiting + 1
        return requests(of: feed, in: month)
    }

    func requests(of feed: String, in month: UTCMonth) -> Int {
        let stored = counted[feed]?[month] ?? (try? history.requests(of: feed, in: "\(month)")) ?? 0
        return stored + (uncounted[feed]?[month] ?? 0)
    }
}
