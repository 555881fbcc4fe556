import Foundation
import HTTP
import Markets
import Synchronization

@testable import Feeds

/// Time that stands still until somebody sleeps or steps it.
final class ManualTime: TimeSource {
    private struct Clock {
        var now: Date
        var uptime = Duration.zero
        var sleeps: [Duration] = []
    }

    private let clock: Mutex<Clock>

    init(_ text: String = "2026-11-21T10:00:00Z") {
        clock = Mutex(Clock(now: Date(utcText: text) ?? .distantPast))
    }

    func now() -> Date { clock.withLock { $0.now } }
    func uptime() -> Duration { clock.withLock { $0.uptime } }
    var sleeps: [Duration] { clock.withLock { $0.sleeps } }

    func step(_ duration: Duration) {
        clock.withLock {
            $0.now = $0.now + duration
            $0.uptime += duration
        }
    }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        clock.withLock { $0.sleeps.append(duration) }
        step(duration)
    }
}
