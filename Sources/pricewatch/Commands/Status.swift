import ArgumentParser
import Foundation
import History
import Markets

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Health, feeds, newest prices, 24 h summary and alerts; works while the daemon is down.",
        discussion: "Exit codes: 0 ok, 1 degraded, 2 failing or stopped, 3 nothing there to read.")

    @OptionGroup var installation: InstallationOptions
    @Flag(help: "The status file as it is, with `expired` and `exit` added.")
    var json = false
    @Flag(help: "Stays, and shows what changes; Ctrl-C or q ends it. In a pipe, a line a change.")
    var watch = false

    func run() async throws {
        try await Complaint.reporting {
            let configuration = try installation.readForStatus().configuration
            if watch {
                await StatusWatch(configuration, json: json).run()
            } else {
                try show(configuration)
            }
        }
    }

    private func show(_ configuration: Configuration) throws {
        let source = try StatusSource(configuration)
        let now = Date()
        let verdict = source.verdict(at: now)
        var output = StandardOutput()
        if json {
            output.write(source.json(verdict))
        } else {
            let terminal = Terminal(environment: ProcessInfo.processInfo.environment)
            let trends = terminal.isTerminal ? source.trends(configuration, now: now) : nil
            for line in StatusView(source.document, verdict, trends: trends, terminal, now: now).lines {
                output.line(line)
            }
        }
        output.flush()
        if verdict.exit != 0 { throw ExitCode(verdict.exit) }
    }
}

/// Where a status comes from: the file that the daemon writes, else what the history remembers.
struct StatusSource {
    let document: StatusDocument
    private let bytes: Data
    private let database: String

    private static let nothing = ExitCode(3)

    init(_ configuration: Configuration) throws {
        database = configuration.history.database
        let file = configuration.statusFile
        if let bytes = FileManager.default.contents(atPath: file) {
            do {
                document = try StatusDocument(parsing: bytes)
                self.bytes = bytes
                return
            } catch {
                throw Complaint(
                    "read the status \(file): this is no status file (start the daemon, which replaces it)",
                    Self.nothing)
            }
        }
        let reader: HistoryReader
        do {
            reader = try HistoryReader(at: database)
        } catch {
            throw Complaint(
                "read the status \(file): there is none, and no history either: \(error)", Self.nothing)
        }
        let report = try StatusReport(remembering: reader, configuration, now: Date())
        bytes = Data(report.json)
        document = try StatusDocument(parsing: bytes)
    }

    func verdict(at now: Date) -> StatusVerdict {
        let alive = document.pid.map { LivingProcess.isDaemon($0, of: document.history?.database ?? database) } ?? false
        return StatusVerdict(document, alive: alive, now: now)
    }

    /// The file's own text with the verdict put before its closing brace.
    func json(_ verdict: StatusVerdict) -> [UInt8] {
        var text = bytes
        while let last = text.last, last != UInt8(ascii: "}") { text.removeLast() }
        return text.dropLast() + Array(",\"expired\":\(verdict.expired),\"exit\":\(verdict.exit)}\n".utf8)
    }
}
