import Engine
import Feeds
import Foundation
import Markets

/// What is to be said of a lane in the status.
struct LaneStanding {
    /// The feed, where others are asked beside it; nil for the feeds in order of preference.
    var name: String?
    var failures = 0
    var lastError: StatusReport.PollError?
    var clockFault: String?
    /// Nothing is asked before.
    var wait: Date?
    /// Who serves in place of whom.
    var standby: (feed: String, preferred: String)?
    /// Why the interval is longer than the owner asked for.
    var stretched: String?

    var reasons: [StatusReport.Reason] {
        var reasons: [StatusReport.Reason] = []
        func add(_ code: StatusReport.Reason.Code, _ message: String) {
            reasons.append(StatusReport.Reason(code: code, message: message))
        }
        if let clockFault {
            add(.clock, name.map { "\($0): \(clockFault)" } ?? clockFault)
        } else if failures > 0 {
            let polls = failures == 1 ? "the last poll" : "the last \(failures) polls"
            add(
                .pollFailed,
                polls + (name.map { " of \($0)" } ?? "") + " failed" + (lastError.map { ": \($0.message)" } ?? ""))
        }
        if let wait { add(.waiting, "\(name ?? "the provider") is not asked before \(wait.utcText)") }
        if let standby { add(.standby, "\(standby.feed) serves in place of \(standby.preferred)") }
        if let stretched { add(.quota, (name.map { "\($0): " } ?? "") + stretched) }
        return reasons
    }
}

extension Lanes {
    func standings(_ states: FeedStates, _ health: [Lane: LaneHealth]) -> [LaneStanding] {
        var all: [LaneStanding] = []
        for line in lines {
            all.append(line.standing(states[line], health[line.plan.lane]))
            // What rides along has its own failures only while another stands in.
            guard let rider = line.rider, states[line]?.isStandby == true else { continue }
            all.append(LaneStanding(rider.plan, health[rider.plan.lane]))
        }
        return all
    }

    /// When the next poll will be, as far as it can be said.
    func nextPoll(_ states: FeedStates, at now: Date) -> Date? {
        lines.map { max(now + until($0), states[$0]?.waitsUntil ?? now) }.min()
    }
}

extension Lanes.Line {
    fileprivate func standing(_ state: FeedStates.Source?, _ health: LaneHealth?) -> LaneStanding {
        var standing = LaneStanding(plan, health)
        standing.wait = state?.waitsUntil
        if let state, state.isStandby { standing.standby = (state.serving.name, plan.feed.name) }
        standing.stretched = pace.stretched
        return standing
    }
}

extension LaneStanding {
    fileprivate init(_ plan: LanePlan, _ health: LaneHealth?) {
        if plan.lane != .shared { name = plan.feed.name }
        failures = health?.failures.count ?? 0
        lastError = health?.lastError
        clockFault = health?.clockFault
    }
}
