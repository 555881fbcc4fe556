import Dispatch
import Glibc

/// The signals that end a long-running command.
enum StopSignal {
    /// Returns at the first SIGINT or SIGTERM, or when the task is cancelled.
    static func wait() async {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let queue = DispatchQueue(label: "pricewatch.stop")
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.finish() }
            source.activate()
            return source
        }
        for await _ in signals {}
        for source in sources { source.cancel() }
    }
}
