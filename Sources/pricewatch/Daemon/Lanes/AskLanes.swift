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
    /// Asks all that are due, at the same time: one that hangs costs the others nothing. Throws only when the task is
    /// cancelled.
    ///
    /// - Parameter ranking: the largest markets as they were last answered.
    static func ask(
        _ due: [Line], ranking: [MarketID], obeying obedience: WaitObedience
    ) async throws(CancellationError) -> [LanePoll] {
        let answered = await withTaskGroup(of: (Int, [LanePoll]?).self) { group in
            for (place, line) in due.enumerated() {
                group.addTask { (place, try? await line.ask(ranking, obedience)) }
            }
            return await group.reduce(into: [Int: [LanePoll]]()) { $0[$1.0] = $1.1 }
        }
        guard answered.count == due.count else { throw CancellationError() }
        return due.indices.flatMap { answered[$0] ?? [] }
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
    ) async throws(CancellationError) -> [LanePoll] {
        let end = time.uptime() + limit
        let turn = try await feeds.poll(ranking: ranking, within: limit, obeying: obedience)
        let poll = LanePoll(plan: plan, lanes: [plan.lane], interval: step, turn: turn)
        guard let rider else { return [poll] }
        if turn.feed == rider.plan.feed.name { return [LanePoll(plan: plan, lanes: lanes, interval: step, turn: turn)] }
        // Another stands in, which is not asked for these markets.
        let aside: FailoverFeed.Turn
        if var report = turn.reports[rider.plan.feed.name] {
            report.requests = 0
            aside = FailoverFeed.Turn(
                report: report, feed: rider.plan.feed.name, unmapped: rider.plan.members[0].unmapped)
        } else {
            aside = try await rider.feeds.poll(within: end - time.uptime(), obeying: obedience)
        }
        return [poll, LanePoll(plan: rider.plan, lanes: [rider.plan.lane], interval: step, turn: aside)]
    }
}

extension PollReport {
    /// Where a wait holds, its end.
    var waitsUntil: Date? { if case .waiting(_, let until) = outcome { until } else { nil } }
}
