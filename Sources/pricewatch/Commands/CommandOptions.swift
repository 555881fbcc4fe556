import ArgumentParser
import Foundation
import History
import Markets
import Views

/// The options of every command that reads an installation.
struct InstallationOptions: ParsableArguments {
    @Option(name: .customLong("config"), help: "The configuration file; see pricewatch.yaml(5).")
    var configurationPath: String?

    /// For the daemon and `check`.
    func read() throws -> ConfigurationReading { try ConfigurationReading.read(option: configurationPath) }

    /// For commands that only read: if this user may not read the configuration, the default paths are used.
    func readForQuestions() throws -> ConfigurationReading {
        noting(try ConfigurationReading.read(option: configurationPath, onlyReads: true))
    }

    /// For `status`, which also works with a faulty configuration.
    func readForStatus() throws -> ConfigurationReading {
        noting(try ConfigurationReading.readForStatus(option: configurationPath))
    }

    /// For commands that need only the database path of the configuration.
    func readForRecords() throws -> ConfigurationReading {
        noting(try ConfigurationReading.readForRecords(option: configurationPath))
    }

    /// For commands that read the history.
    func openHistory() throws -> (Configuration, HistoryReader) {
        let configuration = try readForRecords().configuration
        return (configuration, try HistoryReader(at: configuration.history.database))
    }

    private func noting(_ reading: ConfigurationReading) -> ConfigurationReading {
        if let note = reading.note { StandardError.line("pricewatch: \(note)") }
        return reading
    }
}

/// A time as `--since` and `--until` accept it: a time, a date, or a duration before now.
enum TimeArgument: Hashable, Sendable {
    case moment(Date)
    /// A date, or a time that names no zone: what the clocks of `timezone` show.
    case wall(TimeInterval)
    case ago(Duration)

    @Sendable static func parse(_ text: String) throws -> TimeArgument {
        if let duration = Duration(unitsText: text) { return .ago(duration) }
        if let moment = Date(utcText: text) { return .moment(moment) }
        if let time = Zone.wallTime(reading: text) { return .wall(time) }
        if Duration.isTooLong(unitsText: text) {
            throw ValidationError("'\(text)' is too long: write at most 1000 years, or a date")
        }
        throw ValidationError(
            "'\(text)' is no time: write 2026-11-21T10:00:00Z, 2026-11-21, or how long ago, such as 24h or 7d")
    }

    func date(now: Date, in zone: Zone) -> Date {
        switch self {
        case .moment(let date): date
        case .wall(let time): zone.moment(showing: time)
        case .ago(let duration): now - duration
        }
    }
}

extension Duration {
    /// A duration on the command line; `examples` completes "write …".
    init(argument text: String, atLeast least: Duration = .milliseconds(1), examples: String) throws {
        guard let duration = Duration(unitsText: text), duration >= least else {
            let fault = Duration.isTooLong(unitsText: text) ? "too long" : "no length of time"
            throw ValidationError("'\(SafeText.printable(text))' is \(fault): write \(examples)")
        }
        self = duration
    }
}
