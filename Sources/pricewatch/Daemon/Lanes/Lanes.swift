import Engine
import Feeds
import Foundation
import Markets

/// Whom the daemon asks: the feeds in order of preference, and beside them those that markets have for their own. Each
/// lane has its interval, its quota's pace and its next moment.
struct Lanes {
    private(set) var lines: [Line]
    private let time: any TimeSource

    /// Lanes that are asked at the same moments: the shared one with what rides along, or one of a market's own.
    struct Line {
        let plan: LanePlan
        let feeds: FailoverFeed
        /// Asked beside where the preferred feed, which brings these markets along, does not serve.
        let rider: (plan: LanePlan, feeds: FailoverFeed)?
        /// No poll of it lasts longer.
        let limit: Duration
        let time: any TimeSource
        /// Of each member.
        fileprivate(set) var paces: [Pace]
        /// Whose prices are taken, by its place among the members.
        fileprivate(set) var serving = 0
        /// In `uptime`, which no change of the clock moves.
        fileprivate(set) var due = Duration.zero
        /// The interval by which that moment was set: by it, what lies between two polls is measured.
        fileprivate(set) var step: Duration

        /// The time between two polls that is in force now.
        var interval: Duration { paces[serving].interval }
        var pace: Pace { paces[serving] }
        var lanes: [Lane] { [plan.lane] + (rider.map { [$0.plan.lane] } ?? []) }

        /// A timer that is a trifle early is not late by a whole interval.
        func isDue(at uptime: Duration) -> Bool { due <= uptime + min(.seconds(1), interval / 4) }
    }

    /// - Parameter feeds: by name, each that is asked for anything.
    init(_ configuration: Configuration, feeds: [String: Feeds.Feed], time: any TimeSource = SystemTime()) {
        self.time = time
        let plans = configuration.lanePlans
        let shared = Set(plans.filter { $0.lane == .shared }.flatMap { $0.members.map(\.feed.name) })
        func ask(_ plan: LanePlan) -> FailoverFeed {
            let members = plan.members.compactMap { member -> FailoverFeed.Member? in
                guard let feed = feeds[member.feed.name] else { return nil }
                // What one feed is asked for in two polls must not be taken for a change of its answer.
                let isAskedTwice = plan.lane != .shared && shared.contains(feed.name)
                return FailoverFeed.Member(
                    isAskedTwice ? Feeds.Feed(beside: feed) : feed, watch: member.watch, unmapped: member.unmapped
                ) { configuration.name(of: Configuration.Market(id: $0), at: member.feed) }
            }
            return FailoverFeed(members, every: plan.every, time: time)
        }
        let rider = plans.first(where: \.ridesAlong).map { (plan: $0, feeds: ask($0)) }
        lines = plans.filter { !$0.ridesAlong }.map { plan in
            let asked = ask(plan)
            let paces = zip(plan.members, asked.members).map { member, asked in
                Pace(
                    every: max(plan.every, member.feed.every ?? plan.every),
                    pages: asked.feed.pages(for: asked.watch),
                    quota: member.feed.monthlyQuota.map(Quota.init(requestsPerMonth:)))
            }
            return Line(
                plan: plan, feeds: asked, rider: plan.lane == .shared ? rider : nil,
                limit: configuration.limit(of: plan), time: time, paces: paces, step: paces[0].interval)
        }
    }

    /// All that are asked; one that is asked in two lanes stands for itself in each.
    var feeds: [Feeds.Feed] { lines.flatMap { ($0.feeds.members + ($0.rider?.feeds.members ?? [])).map(\.feed) } }

    /// The shortest interval in force.
    var interval: Duration { lines.map(\.interval).min() ?? .minutes(1) }

    /// The interval by which what lies between two polls of a lane is measured.
    func step(of lane: Lane) -> Duration { lines.first { $0.lanes.contains(lane) }?.step ?? interval }

    /// So long at most nobody is asked, where all goes well.
    var shortestStep: Duration { lines.map(\.step).min() ?? interval }

    /// How long until somebody is due.
    var untilNext: Duration { lines.map { until($0) }.min() ?? interval }

    func until(_ line: Line) -> Duration { max(.zero, line.due - time.uptime()) }

    /// Those to be asked now.
    func due(obeying obedience: WaitObedience) -> [Line] {
        // A single poll is one of every feed.
        obedience == .namedOnly ? lines : lines.filter { $0.isDue(at: time.uptime()) }
    }

    /// These lanes, going on where those before left off: who serves, and at which pace.
    ///
    /// - Parameter before: of this process; none at its start.
    func succeeding(_ before: [Lane: Legacy.Awaited], now: Date) async -> Lanes {
        for line in lines {
            guard let before = before[line.plan.lane],
                before.plan.members.map(\.feed) == line.plan.members.map(\.feed)
            else { continue }
            await line.feeds.takeOver(before.feeds)
        }
        var next = self
        next.adjust(
            serving: await Self.serving(lines), used: await Self.requests(lines, in: UTCMonth(now)), now: now)
        for (index, line) in next.lines.enumerated() {
            next.lines[index].step = max(line.interval, before[line.plan.lane]?.step ?? .zero)
        }
        return next
    }

    /// Says when each lane is to be asked first.
    mutating func begin<E>(after delay: (Line) throws(E) -> Duration) throws(E) {
        let uptime = time.uptime()
        for index in lines.indices { lines[index].due = uptime + (try delay(lines[index])) }
    }

    /// After a turn: whoever was asked is due one interval later; a moment that has passed meanwhile is skipped.
    mutating func advance(_ asked: [Line], serving: [Lane: Int], used: [String: Int], now: Date) {
        adjust(serving: serving, used: used, now: now)
        let uptime = time.uptime()
        for index in lines.indices {
            let lane = lines[index].plan.lane
            guard asked.contains(where: { $0.plan.lane == lane }) else { continue }
            let interval = lines[index].interval
            let missed = max(.zero, uptime - lines[index].due)
            lines[index].due += interval * (1 + Int(missed / interval))
            lines[index].step = interval
        }
    }

    private mutating func adjust(serving: [Lane: Int], used: [String: Int], now: Date) {
        for index in lines.indices {
            lines[index].serving = serving[lines[index].plan.lane] ?? lines[index].serving
            for (place, member) in lines[index].plan.members.enumerated() {
                lines[index].paces[place].adjust(used: used[member.feed.name] ?? 0, now: now)
            }
        }
    }
}
