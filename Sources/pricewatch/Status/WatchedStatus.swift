import Dispatch
import Foundation
import Glibc
import Markets
import Views

/// The status and the trends on a screen, read again while it is shown.
struct WatchedStatus {
    private let configuration: Configuration
    private var source: StatusSource?
    /// Why there is no status.
    private var error: CommandError?
    private var trends: Trends?
    private var historyReadAt = Date.distantPast

    /// The history takes longer to read than a status file.
    private static let historyReadEvery = Duration.seconds(10)

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// As much of the status as fits this many rows.
    mutating func lines(rows: Int, on terminal: Terminal, now: Date) -> [String] {
        refresh(now: now)
        guard let source else { return [SafeText.printable(error?.description ?? "")] }
        return StatusView(
            status: source.report(at: now), verdict: source.verdict(at: now), trends: trends, terminal: terminal,
            zone: configuration.zone, now: now
        ).lines(rows: rows)
    }

    private mutating func refresh(now: Date) {
        let readsHistory = now.since(historyReadAt) >= min(configuration.tick, Self.historyReadEvery)
        guard readsHistory || FileManager.default.fileExists(atPath: configuration.statusFile) else { return }
        do {
            source = try StatusSource(configuration, now: now)
        } catch {
            source = nil
            self.error = error as? CommandError ?? CommandError("\(error)", Exit.inputOutput)
        }
        guard readsHistory else { return }
        historyReadAt = now
        trends = source?.trends(now: now) ?? trends
    }
}

/// Why a live view redraws.
enum Wake: Sendable {
    /// A second has passed, or the terminal was resized.
    case redraw
    /// Ctrl-Z.
    case suspended
}

/// Refresh events of a live view, until Ctrl-C, `q`, a signal, or the reader of its output closes the pipe.
final class RefreshEvents: Sendable {
    let all: AsyncStream<Wake>
    private let continuation: AsyncStream<Wake>.Continuation

    /// - Parameter keys: Whether to read keys from standard input: in a pipe they belong to the program at its end.
    init(keys: Bool) {
        (all, continuation) = AsyncStream.makeStream(of: Wake.self)
        let continuation = continuation
        let queue = DispatchQueue(label: "pricewatch.refresh")
        var sources: [any DispatchSourceProtocol] = []
        func add(_ source: any DispatchSourceProtocol, _ handler: @escaping @Sendable () -> Void) {
            source.setEventHandler(handler: handler)
            source.activate()
            sources.append(source)
        }
        func add(signal number: CInt, _ handler: @escaping @Sendable () -> Void) {
            signal(number, SIG_IGN)
            add(DispatchSource.makeSignalSource(signal: number, queue: queue), handler)
        }
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { add(signal: number) { continuation.finish() } }
        add(signal: SIGWINCH) { continuation.yield(.redraw) }
        add(signal: SIGTSTP) { continuation.yield(.suspended) }
        let seconds = DispatchSource.makeTimerSource(queue: queue)
        seconds.schedule(deadline: .now(), repeating: 1, leeway: .milliseconds(50))
        add(seconds) { if Self.isReaderGone { continuation.finish() } else { continuation.yield(.redraw) } }
        if keys, isatty(STDIN_FILENO) == 1 {
            add(DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)) {
                if Self.endIsPressed() { continuation.finish() }
            }
        }
        // Dispatch sources are thread-safe, but their protocol is not Sendable.
        nonisolated(unsafe) let held = sources
        continuation.onTermination = { _ in for source in held { source.cancel() } }
    }

    /// Ends the stream.
    func end() { continuation.finish() }

    /// An empty read of a readable terminal means that it has gone.
    private static func endIsPressed() -> Bool {
        var keys = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &keys, keys.count)
        return count <= 0 || keys.prefix(count).contains(UInt8(ascii: "q"))
    }

    /// Whether standard output is a pipe whose reader has closed it.
    private static var isReaderGone: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
    }
}
