import ArgumentParser
import Exports
import Foundation
import HTTP
import History
import Markets
import Views

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Looks after the samples that are sent to time-series engines.",
        subcommands: [ExportVerify.self])
}

struct ExportVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compares what a VictoriaMetrics holds with the history.",
        discussion: """
            Reads every sample back, and says of each market what is missing, doubled or different. What the daemon has \
            not sent yet and what was polled within the last minute is left out. Exits with 1 if differences remain.
            """)

    @OptionGroup var installation: InstallationOptions
    @Option(
        help: "From which quote time on: a time, a date, or how long ago. (default: 24h)",
        transform: TimeArgument.parse)
    var since: TimeArgument = .ago(.hours(24))
    @Flag(help: "Send what is missing again, and look whether it arrived.")
    var repair = false
    @Flag(help: "For programs.")
    var json = false
    @Argument(help: "An export's name in the configuration; without one, all.")
    var name: String?

    func run() async throws {
        let configuration = try installation.read().configuration
        let reader = try HistoryReader(at: configuration.history.database)
        let reports = try await NetworkTransport.whileOpen { network in
            var reports: [ExportReport] = []
            for export in try Self.chosen(name, among: configuration.exports) {
                let exporter = export.madeExporter(transport: network)
                reports.append(
                    try await ExportReport.verified(
                        exporter, reader, since: since, repairs: repair, in: configuration.zone))
            }
            return reports
        }
        StandardOutput.write(
            lines: json
                ? [ExportReport.json(reports)] : reports.flatMap { $0.lines(in: configuration.zone, on: .output) })
        if reports.contains(where: { !$0.differing.isEmpty }) { throw Exit.differences }
    }

    /// Throws 65 if there is none of this name.
    static func chosen(
        _ name: String?, among exports: [Configuration.Export]
    ) throws(CommandError) -> [Configuration.Export] {
        if let name {
            let found = exports.filter { $0.name == name }
            if found.isEmpty { throw CommandError(unknown: "export", name, among: exports.map(\.name)) }
            return found
        }
        if exports.isEmpty {
            throw CommandError(
                "export verify: no export is configured (see export in pricewatch.yaml)", Exit.noSuchData)
        }
        return exports
    }
}
