import Dispatch
import Engine
import Foundation
import Glibc
import Markets
import Synchronization

extension Moment {
    static func now() -> Moment {
        Moment(wall: Date(), uptime: read(CLOCK_BOOTTIME), awake: read(CLOCK_MONOTONIC))
    }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// A Dispatch timer that wakes the daemon at the time of its last plan.
final class WakeTimer: Sendable {
    private let timer: Mutex<any DispatchSourceTimer>

    init(_ wake: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler(handler: wake)
        timer.activate()
        self.timer = Mutex(timer)
    }

    deinit { timer.withLock { $0.cancel() } }

    /// - Parameter moment: In uptime; nil keeps the last time, since a wake-up too many costs less than this call.
    func arm(_ moment: Duration?, at uptime: Duration) {
        guard let moment else { return }
        timer.withLock { timer in
            let milliseconds = Int(max(.zero, moment - uptime).inMilliseconds)
            // Leeway lets the kernel serve several timers with one wake-up.
            timer.schedule(
                deadline: .now() + .milliseconds(milliseconds), leeway: .milliseconds(min(milliseconds / 100, 100)))
        }
    }

    func cancel() { timer.withLock { $0.cancel() } }
}
