import Dispatch
import Foundation
import Glibc
import Markets
import Synchronization
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

    mutating func lines(on terminal: Terminal, now: Date) -> [String] {
        refresh(now: now)
        guard let source else { return [SafeText.printable(error?.description ?? "")] }
        return StatusView(
            status: source.report(at: now), verdict: source.verdict(at: now), trends: trends, terminal: terminal,
            zone: configuration.zone, now: now
        ).watchedLines
    }

    private mutating func refresh(now: Date) {
        let readsHistory = now.since(historyReadAt) >= min(configuration.tick, Self.historyReadEvery)
        guard readsHistory || FileManager.default.fileExists(atPath: configuration.reports.status) else { return }
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
    case scrolled(ScrolledText.Move)
    /// Ctrl-Z.
    case suspended
}

extension LiveScreen {
    mutating func follow(_ wake: Wake) {
        switch wake {
        case .redraw: break
        case .scrolled(let move): scroll(move)
        case .suspended: pause()
        }
    }
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
            let keyboard = Mutex(Keyboard())
            add(DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)) {
                // An empty read of a readable terminal means that it has gone.
                let bytes = Self.readKeys()
                let keys = bytes.isEmpty ? [.quit] : keyboard.withLock { $0.keys(in: bytes) }
                for key in keys {
                    switch key {
                    case .quit: continuation.finish()
                    case .move(let move): continuation.yield(.scrolled(move))
                    }
                }
            }
        }
        // Dispatch sources are thread-safe, but their protocol is not Sendable.
        nonisolated(unsafe) let held = sources
        continuation.onTermination = { _ in for source in held { source.cancel() } }
    }

    /// Ends the stream.
    func end() { continuation.finish() }

    private static func readKeys() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Whether standard output is a pipe whose reader has closed it.
    private static var isReaderGone: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
    }
}
