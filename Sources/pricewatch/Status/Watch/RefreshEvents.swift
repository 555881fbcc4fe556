import Dispatch
import Foundation
import Glibc

/// Why a live view redraws.
enum Wake: Sendable {
    /// A second has passed: ages have grown.
    case second
    /// The watched file has been replaced.
    case changed
    /// The terminal was resized.
    case resized
    /// Ctrl-Z.
    case suspended
}

/// Refresh events of a live view, until Ctrl-C, `q`, a signal, or the reader of its output closes the pipe.
final class RefreshEvents: Sendable {
    let all: AsyncStream<Wake>
    private let continuation: AsyncStream<Wake>.Continuation
    private let queue = DispatchQueue(label: "pricewatch.wakes")

    /// - Parameters:
    ///   - path: The file whose replacement is an event.
    ///   - keys: Whether to read keys from standard input: in a pipe they belong to the program at its end.
    init(watching path: String, keys: Bool) {
        (all, continuation) = AsyncStream.makeStream(of: Wake.self)
        let continuation = continuation
        var sources: [any DispatchSourceProtocol] = []
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            sources.append(Self.source(of: number, on: queue) { continuation.finish() })
        }
        sources.append(Self.source(of: SIGWINCH, on: queue) { continuation.yield(.resized) })
        sources.append(Self.source(of: SIGTSTP, on: queue) { continuation.yield(.suspended) })
        let seconds = DispatchSource.makeTimerSource(queue: queue)
        seconds.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(50))
        seconds.setEventHandler {
            if Self.isReaderGone { continuation.finish() } else { continuation.yield(.second) }
        }
        sources.append(seconds)
        if let changes = Self.changes(of: path, on: queue, { continuation.yield(.changed) }) { sources.append(changes) }
        if keys, isatty(STDIN_FILENO) == 1 {
            let pressed = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
            pressed.setEventHandler { if Self.isEnd(Self.pressed()) { continuation.finish() } }
            sources.append(pressed)
        }
        for source in sources { source.activate() }
        let held = HeldSources(sources)
        continuation.onTermination = { _ in held.cancel() }
    }

    /// Ends the stream.
    func end() { continuation.finish() }

    private static func source(
        of number: CInt, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) -> any DispatchSourceProtocol {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: handler)
        return source
    }

    /// Watches the folder: a replaced file is a new inode, which a watch on the file misses.
    private static func changes(
        of path: String, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) -> (any DispatchSourceProtocol)? {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let folder = (path as NSString).deletingLastPathComponent
        guard inotify_add_watch(descriptor, folder.isEmpty ? "." : folder, UInt32(IN_MOVED_TO)) >= 0 else {
            // The folder may be created later; the one-second events continue.
            close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var events = [UInt8](repeating: 0, count: 4096)
            while read(descriptor, &events, events.count) > 0 {}
            handler()
        }
        source.setCancelHandler { close(descriptor) }
        return source
    }

    private static func pressed() -> ArraySlice<UInt8> {
        var keys = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &keys, keys.count)
        return keys.prefix(max(0, count))
    }

    /// An empty read of a readable terminal means that it has gone.
    private static func isEnd(_ keys: ArraySlice<UInt8>) -> Bool { keys.isEmpty || keys.contains(UInt8(ascii: "q")) }

    /// Whether standard output is a pipe whose reader has closed it.
    private static var isReaderGone: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
    }
}

/// The dispatch sources of a view, cancelled together.
///
/// Unchecked: dispatch sources are thread-safe, but their protocol is not Sendable.
private final class HeldSources: @unchecked Sendable {
    private let sources: [any DispatchSourceProtocol]

    init(_ sources: [any DispatchSourceProtocol]) { self.sources = sources }

    func cancel() { for source in sources { source.cancel() } }
}
