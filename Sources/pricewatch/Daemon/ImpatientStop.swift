import Dispatch
import Glibc
import Synchronization

/// Ends the process at the second SIGTERM or SIGINT: whoever asks twice does not want to wait for a clean end.
///
/// The first is left to the service group, with whose own signal handling these sources coexist.
final class ImpatientStop: Sendable {
    private let received = Atomic<Int>(0)
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    func arm() {
        sources.withLock { sources in
            let queue = DispatchQueue(label: "pricewatch.signals")
            for number in [SIGTERM, SIGINT] {
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { [self] in
                    if received.add(1, ordering: .relaxed).newValue == 2 { _exit(128 + number) }
                }
                source.activate()
                sources.append(source)
            }
        }
    }
}
