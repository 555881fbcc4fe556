import Foundation

/// The clock of limits and waits: tests step it by hand.
package protocol TimeSource: Sendable {
    /// The wall clock, for what is stored and compared with the provider's times.
    func now() -> Date
    /// Monotonic time, for limits.
    func uptime() -> Duration
    /// Throws `CancellationError` if the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
package struct SystemTime: TimeSource {
    private let start = ContinuousClock.now

    package init() {}

    package func now() -> Date { Date() }
    package func uptime() -> Duration { ContinuousClock.now - start }
    package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
