import Dispatch
import Glibc
import Synchronization

/// SIGHUP, the word for "read your configuration again", as an asynchronous sequence. Several that come while one is
/// acted on are one.
final class Hangup: Sendable {
    let signals: AsyncStream<Void>
    private let source: Mutex<any DispatchSourceSignal>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        // Its own action would end the process.
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "pricewatch.hangup"))
        source.setEventHandler { continuation.yield() }
        source.activate()
        self.source = Mutex(source)
    }

    deinit { source.withLock { $0.cancel() } }
}
