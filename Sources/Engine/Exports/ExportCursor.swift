import Foundation
import Markets

/// Which polls a time-series engine has acknowledged, and from which on they are sent again.
///
/// An acknowledgement is not durable: VictoriaMetrics loses the last 5 s of acknowledged samples when it is killed.
/// After a failure, a start or a change of the address, the samples of two minutes are sent again. A kill between two
/// requests is not noticed, so each request also repeats what was first acknowledged within the last 10 s.
struct ExportCursor: Hashable, Sendable {
    /// The id of the newest acknowledged poll.
    private(set) var acknowledged: Int64
    /// Polls behind this id are sent next; less than `acknowledged` while polls are sent again.
    private(set) var position: Int64
    /// The next request begins two minutes earlier.
    private(set) var rewinds = true
    /// The position of the last rewind: the engine has kept the polls up to it.
    private var origin: Int64
    /// When the answer of the newest acknowledged poll was complete.
    private var newest: Date?
    /// The newest acknowledgement and those within 10 s before it, oldest first. That time has passed since is no sign
    /// that the engine still lives.
    private var recent: [Acknowledgement] = []

    private struct Acknowledgement: Hashable {
        /// Uptime of the first and the last that are one.
        let since: Duration
        var at: Duration
        /// The position before it.
        let before: Int64
        /// When the answer of the first poll was complete that the engine may not have kept.
        var first: Date?
        /// It was the first after a rewind.
        let hasRewound: Bool
        var samples: Int
    }

    /// For how long a sample may be lost after its acknowledgement.
    private static let volatile = Duration.seconds(10)
    /// The most samples that a request repeats for it; half of a batch, so that each batch holds new ones.
    private static let mostRepeated = ExportBatch.mostLines / 2

    /// - Parameter poll: the stored position.
    init(_ poll: Int64) {
        (acknowledged, position, origin) = (poll, poll, poll)
    }

    var isRepeating: Bool { rewinds || position < acknowledged }

    /// - Parameter isContinuing: The last batch left polls: an engine that is killed between two requests in a row
    ///   fails the second.
    func request(of export: ExportSettings, isContinuing: Bool, at uptime: Duration) -> ExportRequest {
        let (start, hasRewound) = isContinuing || isRepeating ? (position, false) : overlapping(at: uptime)
        return ExportRequest(
            export: export, after: start, rewinds: rewinds || hasRewound, acknowledged: acknowledged, settled: origin)
    }

    /// Where the samples of the last 10 s begin, and whether the two minutes before them were sent with them.
    private func overlapping(at uptime: Duration) -> (start: Int64, hasRewound: Bool) {
        var (start, hasRewound, samples) = (position, false, 0)
        for acknowledgement in recent.reversed() where acknowledgement.at > uptime - Self.volatile {
            samples += acknowledgement.samples
            guard samples <= Self.mostRepeated else { break }
            start = min(start, acknowledgement.before)
            hasRewound = hasRewound || acknowledgement.hasRewound
        }
        return (start, hasRewound)
    }

    /// The id of the newest poll that need not be sent again after a restart, but for the two minutes before it, which are
    /// sent again anyway.
    var settled: Int64 {
        let long = recent.filter { acknowledgement in
            guard let first = acknowledgement.first, let newest else { return false }
            return abs(newest.timeIntervalSince(first)) > ExportRequest.rewind.inSeconds
        }
        return long.map(\.before).reduce(position, min)
    }

    /// - Parameter isRepeatable: False if lines were refused, which would be refused again.
    mutating func acknowledge(_ result: ExportResult, isRepeatable: Bool, at uptime: Duration) {
        // Acknowledgements of one second are one: during a backlog there are many.
        if let last = recent.last, last.since > uptime - .seconds(1), last.before <= position {
            recent[recent.count - 1].at = uptime
            recent[recent.count - 1].first = last.first ?? result.first
            recent[recent.count - 1].samples += result.fresh
        } else {
            recent.removeAll { $0.at <= uptime - Self.volatile }
            recent.append(
                Acknowledgement(
                    since: uptime, at: uptime, before: position, first: result.first, hasRewound: rewinds,
                    samples: result.fresh))
        }
        if !isRepeatable { recent = [] }
        position = result.upTo
        newest = result.last ?? newest
        acknowledged = max(acknowledged, position)
        rewinds = false
    }

    /// The next request sends again what may be lost. While polls are sent again, that is the same polls: from failure to
    /// failure they would be ever older ones.
    mutating func rewind() {
        if !isRepeating { origin = settled }
        position = origin
        recent = []
        rewinds = true
    }
}
