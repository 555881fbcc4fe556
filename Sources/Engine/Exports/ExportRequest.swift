import Foundation
import Markets

/// An export as configured.
package struct ExportSettings: Hashable, Sendable {
    package var name: String
    /// A hash of where it sends to, without its secrets. Another address gets the newest samples again.
    package var address: String

    package init(name: String, address: String) {
        self.name = name
        self.address = address
    }
}

/// What a restart knows of an export.
package struct StoredExport: Hashable, Sendable {
    package var address: String
    /// The id of the newest poll that need not be sent again; 0: none was sent.
    package var poll: Int64
    /// Samples that the engine took, and lines that it refused.
    package var sent: Int
    package var refused: Int

    package init(address: String, poll: Int64 = 0, sent: Int = 0, refused: Int = 0) {
        self.address = address
        self.poll = poll
        self.sent = sent
        self.refused = refused
    }
}

/// What the history holds of an export.
package struct RememberedExport: Hashable, Sendable {
    /// Nil for a new one.
    package var stored: StoredExport?
    /// Samples that were pruned before they were sent.
    package var lost = 0
    /// Samples of polls that are to be sent.
    package var pending = 0
    /// When the answer of the oldest poll that is to be sent was complete.
    package var oldest: Date?

    package init(stored: StoredExport? = nil) { self.stored = stored }
}

/// What one request to a time-series engine sends. The samples are read when it is started.
package struct ExportRequest: Hashable, Sendable {
    package var export: ExportSettings
    /// Polls with a greater id are sent.
    package var after: Int64
    /// Also those of the two minutes before.
    package var rewinds: Bool
    /// The id of the newest poll that the engine has acknowledged: what is sent of earlier ones is sent again.
    package var acknowledged: Int64
    /// The id of the newest poll that the engine has kept: earlier ones are sent to be sure.
    package var settled: Int64

    /// What is sent again after a failure and at a start.
    package static let rewind = Duration.minutes(2)

    package init(
        export: ExportSettings, after: Int64, rewinds: Bool = false, acknowledged: Int64? = nil, settled: Int64? = nil
    ) {
        self.export = export
        self.after = after
        self.rewinds = rewinds
        self.acknowledged = acknowledged ?? after
        self.settled = settled ?? after
    }
}

/// How a request ended, and what it sent.
package struct ExportResult: Sendable {
    package var request: ExportRequest
    package var outcome: ExportOutcome
    /// See `ExportBatch`.
    package var upTo: Int64
    package var taken: Int
    package var next: Date?
    package var first: Date?
    package var last: Date?
    /// Samples that were sent for the first time.
    package var fresh: Int

    /// - Parameter batch: nil if it could not be read.
    package init(of request: ExportRequest, _ batch: ExportBatch?, _ outcome: ExportOutcome) {
        self.request = request
        self.outcome = outcome
        upTo = batch?.upTo ?? request.after
        taken = batch?.taken ?? 0
        next = batch?.next
        first = batch?.first
        last = batch?.last
        fresh = batch.map { $0.samples.count - $0.repeated } ?? 0
    }
}

package enum ExportState: String, Sendable, CaseIterable, JSONScalar {
    case ok
    /// Samples older than a minute are still to be sent.
    case behind
    /// The last requests failed; they are repeated.
    case failing
    /// The engine refuses every request until the user acts.
    case refused
}
