import Engine
import Feeds
import Foundation
import Markets

/// A turn whose lanes answer one after the other. Each is taken in, judged, written and told of when it is there, and
/// waits for no other; only after a gap all wait for the last one. The turn ends with the last one, at its lane's limit,
/// and the next begins after it.
struct RunningTurn {
    let started: Date
    /// What was not watched, and all that changed meanwhile, comes as one message: so all are taken in at once.
    private let endsGap: Bool
    /// Asked, and not yet taken in.
    private var polls: [LanePoll] = []
    private var taken: [LaneResult] = []
    private var isRecorded = true
    /// Where nobody was asked, the first moment at which somebody may be.
    private(set) var waitsUntil: Date?

    init(at started: Date, endsGap: Bool) {
        self.started = started
        self.endsGap = endsGap
    }

    /// Takes in what one lane answered. Returns what is to be judged and written now; nothing where all wait for the
    /// last one, or nobody was asked.
    mutating func take(
        _ poll: LanePoll, isLast: Bool, into board: inout MarketBoard, wanted top: Int
    ) -> [LaneResult] {
        polls.append(poll)
        guard isLast || !endsGap else { return [] }
        defer { polls = [] }
        waitsUntil = (polls.compactMap(\.turn.report.waitsUntil) + [waitsUntil].compactMap(\.self)).min()
        let results = polls.compactMap { LaneResult($0, into: &board, wanted: top) }
        taken += results
        return results
    }

    /// What the answers so far say of our clock. One provider that agrees with it outweighs another that does not; nil:
    /// no feed answered.
    var clock: ClockTrust? {
        if taken.contains(where: \.isAnswered) { return .confirmed }
        return taken.contains { $0.clockFault != nil } ? .refuted : nil
    }

    mutating func note(recorded: Bool) { isRecorded = isRecorded && recorded }

    /// How it went so far, as the status tells it.
    func lastPoll(_ lanes: [LanePlan], ended: Date) -> StatusReport.LastPoll? {
        lanes.compactMap { plan in taken.first { $0.plan.lane == plan.lane } }.lastPoll(at: started, ended: ended)
    }

    /// How it went; nil where nobody was asked.
    func ending(_ lastPoll: StatusReport.LastPoll?) -> Cycle.Ending? {
        taken.isEmpty ? nil : .polled(lastPoll?.outcome ?? .failed, recorded: isRecorded)
    }
}
