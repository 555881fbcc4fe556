import ArgumentParser
import Foundation
import History
import Markets

/// Where a status comes from: the file that the daemon writes, else what the history remembers.
struct StatusSource {
    /// As it was written.
    private let written: StatusDocument
    private let bytes: [UInt8]
    private let configuration: Configuration
    /// Who holds the database, where that one left no status file.
    private let stranger: Int32?

    private static let nothing = ExitCode(3)

    init(_ configuration: Configuration) throws {
        self.configuration = configuration
        let file = configuration.statusFile
        if let bytes = FileManager.default.contents(atPath: file) {
            do {
                written = try StatusDocument(parsing: bytes)
            } catch {
                throw Complaint(
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
            throw Complaint(
                "read the status \(file): there is none, and no history either: \(error)", Self.nothing)
        }
        stranger = DaemonLock.holder(of: configuration.history.database)
        if let stranger { (report.state, report.pid) = (.failing, stranger) }
        bytes = report.json
        written = try StatusDocument(parsing: Data(bytes))
    }

    /// What it says of the markets now.
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

    /// The file's own text, as old as it is now, with the verdict put before its closing brace.
    func json(at now: Date) -> [UInt8] {
        let verdict = verdict(at: now)
        var text = document(at: now).text(of: bytes, writtenAs: written)
        while let last = text.last, last != UInt8(ascii: "}") { text.removeLast() }
        return text.dropLast() + Array(",\"expired\":\(verdict.expired),\"exit\":\(verdict.exit)}\n".utf8)
    }
}
