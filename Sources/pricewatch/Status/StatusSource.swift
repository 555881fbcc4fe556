import ArgumentParser
import Engine
import Foundation
import Glibc
import History
import Markets

/// The source of a status: the file that the daemon writes, else the history.
struct StatusSource {
    /// The document as written.
    private let written: StatusDocument
    private let bytes: [UInt8]
    private let configuration: Configuration
    /// The pid that holds the database, if that process left no status file.
    private let stranger: Int32?

    private static let nothing = ExitCode(3)

    init(_ configuration: Configuration) throws {
        self.configuration = configuration
        let file = configuration.statusFile
        if let bytes = FileManager.default.contents(atPath: file) {
            do {
                written = try StatusDocument(parsing: bytes)
            } catch {
                throw CommandError(
                    "read the status \(file): this is no status file (start the daemon, which replaces it)",
                    Self.nothing)
            }
            self.bytes = Array(bytes)
            stranger = nil
            return
        }
        var report: StatusReport
        do throws(HistoryError) {
            let reader = try HistoryReader(at: configuration.history.database)
            report = try StatusReport(remembering: reader, configuration, now: Date())
        } catch {
            throw CommandError(
                "read the status \(file): there is none, and no history either: \(error)", Self.nothing)
        }
        stranger = DaemonLock.holder(of: configuration.history.database)
        if let stranger { (report.state, report.pid) = (.failing, stranger) }
        bytes = report.json
        written = try StatusDocument(parsing: Data(bytes))
    }

    /// The document with the ages of `now`.
    func document(at now: Date) -> StatusDocument {
        let interval = Duration.seconds(min(max(written.intervalSeconds ?? 0, 0), 31_536_000))
        return written.aged(at: now) { market in
            guard let id = try? MarketID(market.market) else { return .zero }
            return configuration.staleness(of: id).age(at: interval)
        }
    }

    func verdict(at now: Date) -> StatusVerdict {
        let document = document(at: now)
        if let stranger {
            return StatusVerdict(daemon: stranger, withoutFileAt: configuration.statusFile)
        }
        let database = document.history?.database ?? configuration.history.database
        let alive = document.pid.map { LivingProcess.isDaemon($0, of: database) } ?? false
        return StatusVerdict(document, alive: alive, file: configuration.statusFile, now: now)
    }

    /// The file's text with the ages of `now`, and the verdict added as its last fields.
    func json(at now: Date) -> [UInt8] {
        let verdict = verdict(at: now)
        var text = document(at: now).text(of: bytes, writtenAs: written)
        while let last = text.last, last != UInt8(ascii: "}") { text.removeLast() }
        return text.dropLast() + Array(",\"expired\":\(verdict.expired),\"exit\":\(verdict.exit)}\n".utf8)
    }
}

/// Whether the daemon that wrote a status is still running.
enum LivingProcess {
    /// - Parameter database: The daemon holds its lock as long as it lives; another process may have got the same pid.
    static func isDaemon(_ pid: Int32, of database: String?) -> Bool {
        // The demo reads its own status: a process does not see its own POSIX lock, and would release it by checking.
        if pid == getpid() { return true }
        // EPERM: the process exists and belongs to another user.
        guard kill(pid, 0) == 0 || errno == EPERM else { return false }
        guard let database, access(database + ".lock", R_OK) == 0 else { return true }
        return DaemonLock.holder(of: database) != nil
    }
}
