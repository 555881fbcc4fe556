import Engine
import Feeds
import Foundation
import Markets

/// What one poll of a turn brought, and for whose markets.
struct LanePoll: Sendable {
    var plan: LanePlan
    /// The lanes that it asked for.
    var lanes: [Lane]
    /// The time between two polls that led to it.
    var interval: Duration
    var turn: FailoverFeed.Turn
}

extension Lanes {
    /// Asks all that are due, at the same time, and hands over each poll when it is over: whoever hangs keeps none of the
    /// others' prices waiting. False where the task was cancelled, which ends it at once.
    ///
    /// - Parameters:
    ///   - ranking: the largest markets as they were last answered.
    ///   - take: is told whether it was the last one.
    static func ask(
        _ due: [Line], ranking: [MarketID], obeying obedience: WaitObedience,
        isolation: isolated (any Actor)? = #isolation, _ take: (_ poll: LanePoll, _ isLast: Bool) async -> Void
    ) async -> Bool {
        await withTaskGroup(of: Asked?.self) { group in
            for line in due {
                group.addTask { try? await line.ask(ranking, obedience) }
            }
            while let asked = await group.next() {
                guard let asked else {
                    group.cancelAll()
                    return false
                }
                if let follows = asked.follows { group.addTask { try? await follows() } }
                await take(asked.poll, group.isEmpty)
            }
            return true
        }
    }

    /// A poll, and what is to be asked after it.
    fileprivate struct Asked: Sendable {
        var poll: LanePoll
        var follows: (@Sendable () async throws(CancellationError) -> Asked)?
    }

    /// The place of the feed that serves, by lane.
    static func serving(_ lines: [Line]) async -> [Lane: Int] {
        var places: [Lane: Int] = [:]
        for line in lines {
            let feed = await line.feeds.serving
            places[line.plan.lane] = line.feeds.members.firstIndex { $0.feed === feed }
        }
        return places
    }

    /// Requests sent in that month, by the names of the feeds.
    static func requests(_ lines: [Line], in month: UTCMonth) async -> [String: Int] {
        var requests: [String: Int] = [:]
        for member in lines.flatMap(\.feeds.members) where requests[member.feed.name] == nil {
            requests[member.feed.name] = await member.feed.requests(in: month)
        }
        return requests
    }
}

extension Lanes.Line {
    fileprivate func ask(
        _ ranking: [MarketID], _ obedience: WaitObedience
    ) async throws(CancellationError) -> Lanes.Asked {
        let end = time.uptime() + limit
        let turn = try await feeds.poll(ranking: ranking, within: limit, obeying: obedience)
        let poll = LanePoll(plan: plan, lanes: [plan.lane], interval: step, turn: turn)
        guard let rider else { return Lanes.Asked(poll: poll) }
        if turn.feed == rider.plan.feed.name {
            return Lanes.Asked(poll: LanePoll(plan: plan, lanes: lanes, interval: step, turn: turn))
        }
        // Another stands in, which is not asked for these markets.
        return Lanes.Asked(poll: poll) { () async throws(CancellationError) in
            let aside: FailoverFeed.Turn
            if var report = turn.reports[rider.plan.feed.name] {
                report.requests = 0
                aside = FailoverFeed.Turn(
                    report: report, feed: rider.plan.feed.name, unmapped: rider.plan.members[0].unmapped)
            } else {
                aside = try await rider.feeds.poll(within: end - time.uptime(), obeying: obedience)
            }
            return Lanes.Asked(poll: LanePoll(plan: rider.plan, lanes: [rider.plan.lane], interval: step, turn: aside))
        }
    }
}

extension PollReport {
    /// Where a wait holds, its end.
    var waitsUntil: Date? { if case .waiting(_, let until) = outcome { until } else { nil } }
}
