import Engine
import Feeds
import Foundation
import Markets

/// What the feeds know of themselves. Asked before a report is built, so that nothing is awaited while it is.
struct FeedStates: Sendable {
    private var sources: [Lane: Source] = [:]
    /// By name.
    private var feeds: [String: Single] = [:]

    struct Source: Sendable {
        var serving: Feeds.Feed
        var isStandby: Bool
        /// Nothing is asked of the serving feed before.
        var waitsUntil: Date?
        /// By the names of the feeds that are left alone after failures.
        var coolsUntil: [String: Date] = [:]
    }

    struct Single: Sendable {
        var wait: (FeedWait, until: Date)?
        var requestsThisMonth: Int
    }

    init(_ lanes: Lanes, at now: Date) async {
        for line in lanes.lines {
            let serving = await line.feeds.serving
            var source = Source(
                serving: serving, isStandby: await line.feeds.isStandby,
                waitsUntil: await serving.waitInForce()?.until)
            for feed in line.feeds.members.map(\.feed) {
                source.coolsUntil[feed.name] = await line.feeds.coolsUntil(feed)
                guard feeds[feed.name] == nil else { continue }
                feeds[feed.name] = Single(
                    wait: await feed.waitInForce(), requestsThisMonth: await feed.requests(in: UTCMonth(now)))
            }
            sources[line.plan.lane] = source
        }
    }

    subscript(line: Lanes.Line) -> Source? { sources[line.plan.lane] }
    subscript(feed name: String) -> Single? { feeds[name] }
}
