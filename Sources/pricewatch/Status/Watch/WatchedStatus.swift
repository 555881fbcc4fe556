import Foundation
import Glibc
import History
import Markets
import Views

/// The status and the trends, read again when the status file has been replaced.
struct WatchedStatus {
    private let configuration: Configuration
    private let withTrends: Bool
    private(set) var source: StatusSource?
    /// Why there is no status.
    private(set) var complaint: CommandError?
    private var version: FileVersion?
    private var readAt = Date.distantPast
    private var trends: Trends?
    private var trendsReadAt = Date.distantPast

    /// - Parameter withTrends: Whether to read prices from the history for trends.
    init(_ configuration: Configuration, withTrends: Bool) {
        self.configuration = configuration
        self.withTrends = withTrends
    }

    /// Reads again if needed. Returns whether the content may have changed.
    mutating func refresh(now: Date) -> Bool {
        let found = FileVersion(of: configuration.statusFile)
        // Without a status file the history is read, whose changes raise no event.
        guard found != version || (found == nil && now.since(readAt) >= .seconds(10)) else { return false }
        version = found
        readAt = now
        do {
            source = try StatusSource(configuration)
            complaint = nil
        } catch {
            source = nil
            complaint = error as? CommandError ?? CommandError("\(error)", Exit.inputOutput)
        }
        if withTrends { refreshTrends(now: now) }
        return true
    }

    /// As much of the status as fits the terminal.
    func lines(rows: Int, on terminal: Terminal, now: Date) -> [String] {
        guard let source else { return [SafeText.printable(complaint?.description ?? "")] }
        return StatusView(source.document(at: now), source.verdict(at: now), trends: trends, terminal, now: now)
            .lines(rows: rows)
    }

    private mutating func refreshTrends(now: Date) {
        guard now.since(trendsReadAt) >= min(configuration.tick, .seconds(30)), let source else { return }
        trendsReadAt = now
        trends = source.trends(configuration, now: now) ?? trends
    }
}

extension StatusSource {
    /// Nil if the history cannot be read; the status reports that itself.
    func trends(_ configuration: Configuration, now: Date) -> Trends? {
        guard let reader = try? HistoryReader(at: configuration.history.database) else { return nil }
        return try? Trends(
            reader, in: configuration.currency, oldest: document(at: now).history?.oldestAt,
            every: configuration.tick, now: now)
    }
}

/// The identity of the file at a path: a replaced file has another one.
private struct FileVersion: Hashable {
    private let inode: ino_t
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil if there is no file.
    init?(of path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        inode = found.st_ino
        seconds = found.st_mtim.tv_sec
        nanoseconds = found.st_mtim.tv_nsec
    }
}
