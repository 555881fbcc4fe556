import Foundation

/// Where a feed takes time from: tests step it by hand.
public protocol TimeSource: Sendable {
    /// The wall clock, for what is stored and compared with the provider's times.
    func now() -> Date
    /// Time that only goes forward, for limits within a poll.
    func uptime() -> Duration
    /// Throws `CancellationError` when the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
public struct SystemTime: TimeSource {
    private let start = ContinuousClock.now

    public init() {}

    public func now() -> Date { Date() }
    public func uptime() -> Duration { ContinuousClock.now - start }
    public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
