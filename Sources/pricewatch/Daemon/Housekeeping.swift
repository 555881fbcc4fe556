import Foundation
import History
import Markets
import Synchronization

/// Keeps the history as short and as small as its owner wants it, between the polls: once an hour, and when it
/// outgrows its limit.
final class Housekeeping: Sendable {
    private let history: HistoryWriter
    private let retention: Retention
    private let log: EventLog
    private let state = Mutex(State())

    private struct State {
        var running: Task<Void, Never>?
        /// The hour of the last round; the candles of the hour before it were there.
        var hour: Int64?
        /// Nothing more can go before another hour has its candles.
        var isStillTooLarge = false
    }

    init(_ history: HistoryWriter, _ retention: Retention, log: EventLog) {
        self.history = history
        self.retention = retention
        self.log = log
    }

    /// After an unclean end, looks whether the database is whole; what is not is set aside with the next poll.
    func begin() {
        Task { [history, log] in
            guard let fault = await history.checkAfterUncleanEnd() else { return }
            log.write(.error, "history.damaged") { $0.add("message", "\(fault)") }
        }
    }

    /// Starts a round where one is due and none is under way.
    func tidyIfDue(at now: Date) {
        state.withLock { state in
            guard state.running == nil, isDue(state, at: now) else { return }
            state.hour = Self.hour(now)
            state.running = Task { [weak self] in await self?.tidy(now) }
        }
    }

    /// Waits for the round under way.
    func finish() async { await state.withLock { $0.running }?.value }

    /// Ends the round under way after its present step.
    func stop() async {
        let running = state.withLock { $0.running }
        running?.cancel()
        await running?.value
    }

    private func isDue(_ state: State, at now: Date) -> Bool {
        if state.hour != Self.hour(now) { return true }
        guard !state.isStillTooLarge, let limit = retention.maxSize else { return false }
        return history.reader.bytesOnDisk() > limit
    }

    private func tidy(_ now: Date) async {
        var isStillTooLarge = true
        do {
            // By the clock alone, one that was set ahead would make everything old.
            let newest = try history.reader.lastAnswer() ?? .distantPast
            let pruned = try await history.prune(to: retention, now: min(now, newest))
            isStillTooLarge = pruned.isStillTooLarge
            tell(pruned)
        } catch {
            // That nothing can be written is told by the polls.
            if error.kind != .unwritable, error.kind != .closed {
                log.write(.warning, "history.unpruned") { $0.add("message", "\(error)") }
            }
        }
        state.withLock { state in
            state.isStillTooLarge = isStillTooLarge
            state.running = nil
        }
    }

    private func tell(_ pruned: Pruned) {
        guard !pruned.isEmpty else { return }
        log.write(.info, "history.pruned") { line in
            line.add("samples", Int(pruned.samples))
            line.add("polls", Int(pruned.polls))
            line.add("candles", Int(pruned.candles))
            line.add("events", Int(pruned.events))
            if pruned.series > 0 { line.add("markets", Int(pruned.series)) }
            line.add("freed_bytes", Int(max(0, pruned.bytes)))
            line.add("bytes", Int(history.reader.bytesOnDisk()))
            line.add("longest_step_ms", Int(pruned.longestStep.inMilliseconds))
        }
    }

    /// Changes some minutes past the full hour, when the hour before has its candles.
    private static func hour(_ now: Date) -> Int64 { (now - .minutes(7)).milliseconds / 3_600_000 }
}
