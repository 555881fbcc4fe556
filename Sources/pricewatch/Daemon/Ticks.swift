import Dispatch
import Markets
import Synchronization

/// The beat of the daemon: a Dispatch timer as an asynchronous sequence that buffers nothing, so that a poll which
/// outlasts a tick skips it instead of being followed by another at once.
final class Ticks: Sendable {
    let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let beat: Mutex<Beat>

    private struct Beat {
        let timer: any DispatchSourceTimer
        var interval: Duration

        func schedule(after delay: Duration) {
            let milliseconds = Int(interval.inMilliseconds)
            // A little leeway lets the kernel wake a sleeping machine once for several timers.
            timer.schedule(
                deadline: .now() + .milliseconds(Int(delay.inMilliseconds)), repeating: .milliseconds(milliseconds),
                leeway: .milliseconds(min(milliseconds / 100, 100)))
        }
    }

    /// The first tick comes after `delay`, the others every `interval`. A tick that finds nobody waiting is lost.
    init(every interval: Duration, after delay: Duration) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(0))
        self.stream = stream
        self.continuation = continuation
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "pricewatch.ticks"))
        timer.setEventHandler { continuation.yield() }
        let beat = Beat(timer: timer, interval: interval)
        beat.schedule(after: delay)
        timer.activate()
        self.beat = Mutex(beat)
    }

    deinit { stop() }

    /// A new beat, whose first tick comes after `delay`.
    func change(to interval: Duration, after delay: Duration) {
        beat.withLock { beat in
            beat.interval = interval
            beat.schedule(after: delay)
        }
    }

    /// No further tick; the sequence ends.
    func stop() {
        beat.withLock { $0.timer.cancel() }
        continuation.finish()
    }
}
