import Engine
import Foundation
import History
import Markets

/// How a lane's polls went lately.
struct LaneHealth {
    private(set) var failures = FailureCount()
    /// Of the last poll that failed.
    private(set) var lastError: StatusReport.PollError?
    private(set) var clockFault: String?
    /// When its newest usable poll began.
    private(set) var lastUsable: Date?
    /// From when on it could have been answered, where it never was.
    private let knownSince: Date
    private var maxAgeTold = false

    init(lastUsable: Date?, knownSince: Date) {
        self.lastUsable = lastUsable
        self.knownSince = knownSince
    }

    var silentSince: Date { lastUsable ?? knownSince }

    mutating func take(_ result: LaneResult, at started: Date) {
        clockFault = result.clockFault
        if result.isUsable { lastUsable = started } else { lastError = result.error.map(StatusReport.PollError.init) }
    }

    /// Whether the log is to tell of this poll, and how many failed before one that did not.
    mutating func count(_ result: LaneResult, at started: Date) -> (isTold: Bool, failuresBefore: Int) {
        result.isUsable ? (true, failures.reset()) : (failures.add(at: started), 0)
    }

    /// A provider that says its answers keep longer than we wait is asked all the same: the owner's word counts. It is
    /// told once.
    mutating func mustTell(maxAge: Duration, every interval: Duration) -> Bool {
        guard !maxAgeTold, maxAge > interval else { return false }
        maxAgeTold = true
        return true
    }
}

extension LaneHealth {
    /// Of all lanes: as it was before, else as the history has it.
    static func ofAll(
        _ settings: CycleSettings, inheriting legacy: Legacy, _ reader: HistoryReader, now: Date
    ) throws(HistoryError) -> [Lane: LaneHealth] {
        var all: [Lane: LaneHealth] = [:]
        for plan in settings.lanes {
            let lane = plan.lane
            // The feeds in order of preference have been asked for as long as there is a history.
            let knownSince = lane == .shared ? try reader.firstPoll() ?? now : now
            if let before = legacy.health[lane] {
                all[lane] = before
            } else {
                all[lane] = LaneHealth(
                    lastUsable: try reader.lastUsablePoll(of: lane, riding: plan.ridesAlong), knownSince: knownSince)
            }
        }
        return all
    }
}
