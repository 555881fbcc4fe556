import Foundation
import Markets

/// The state that an engine restores from the history.
package struct Remembered: Sendable {
    package var board: MarketBoard
    /// The rules, with the states of their alerts, the windows of the past and the silences.
    package var alerts: AlertBook
    package var summary: RollingSummary
    package var active = ActiveAlerts([])
    package var sources: [SourceID: Polled] = [:]
    /// When the oldest recorded poll began.
    package var firstPoll: Date?
    /// When the last recorded cycle was.
    package var lastCycle: Date?
    /// Waiting messages, in the order in which they were queued.
    package var queued: [QueuedMessage] = []
    /// The channels that were notified that an alert fires.
    package var notified: [AlertKey: Set<String>] = [:]
    /// Events that were committed and may not have been logged, oldest first.
    package var unlogged: [AlertEvent] = []
    /// When the newest digest was due.
    package var lastDigest: Date?
    /// By the names of the configured exports.
    package var exports: [String: RememberedExport] = [:]
    package var stored: StoredHistory
    /// Why nothing can be recorded; nil if the database is open.
    package var fault: String?

    /// When a source was polled.
    package struct Polled: Hashable, Sendable {
        package var last: Date?
        package var lastUsable: Date?

        package init(last: Date? = nil, lastUsable: Date? = nil) {
            self.last = last
            self.lastUsable = lastUsable
        }
    }
}

extension Remembered {
    package init(board: MarketBoard, alerts: AlertBook, summary: RollingSummary, stored: StoredHistory) {
        self.init(board: board, alerts: alerts, summary: summary, stored: stored, fault: nil)
    }
}
