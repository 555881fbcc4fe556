import Foundation
import Glibc
import History
import Markets

/// The status as it changes: read again when its file has been replaced, with the trends beside it.
struct WatchedStatus {
    private let configuration: Configuration
    private let withTrends: Bool
    private(set) var source: StatusSource?
    /// Why there is none.
    private(set) var complaint: Complaint?
    private var version: FileVersion?
    private var readAt = Date.distantPast
    private var trends: Trends?
    private var trendsReadAt = Date.distantPast

    /// - Parameter withTrends: Whether prices of the history are to be read, too.
    init(_ configuration: Configuration, withTrends: Bool) {
        self.configuration = configuration
        self.withTrends = withTrends
    }

    /// Returns whether there is something else to be read than before.
    mutating func refresh(now: Date) -> Bool {
        let found = FileVersion(of: configuration.statusFile)
        // Without a file the history answers, which nothing tells of.
        guard found != version || (found == nil && now.since(readAt) >= .seconds(10)) else { return false }
        version = found
        readAt = now
        do {
            source = try StatusSource(configuration)
            complaint = nil
        } catch {
            source = nil
            complaint = error as? Complaint ?? Complaint("\(error)", Exit.inputOutput)
        }
        if withTrends { refreshTrends(now: now) }
        return true
    }

    /// What of it fits.
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
    /// Nil where the history cannot be read, which the status tells by itself.
    func trends(_ configuration: Configuration, now: Date) -> Trends? {
        guard let reader = try? HistoryReader(at: configuration.history.database) else { return nil }
        return try? Trends(
            reader, in: configuration.currency, oldest: document(at: now).history?.oldestAt,
            every: configuration.tick, now: now)
    }
}

/// Which file lies at a path: a replaced one is another.
private struct FileVersion: Hashable {
    private let inode: ino_t
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil where there is none.
    init?(of path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        inode = found.st_ino
        seconds = found.st_mtim.tv_sec
        nanoseconds = found.st_mtim.tv_nsec
    }
}
