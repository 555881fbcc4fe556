import ArgumentParser
import Foundation

/// The options of every command that reads an installation.
struct InstallationOptions: ParsableArguments {
    @Option(name: .customLong("config"), help: "The configuration file; see pricewatch.yaml(5).")
    var configurationPath: String?

    /// For the daemon and `check`.
    func read() throws -> ConfigurationReading {
        do {
            return try ConfigurationReading.read(option: configurationPath)
        } catch {
            throw CommandError(error.description, Exit.configuration)
        }
    }

    /// For commands that only read: if this user may not read the configuration, the default paths are used.
    func readForQuestions() throws -> ConfigurationReading {
        try noting { () throws(ConfigurationError) in
            try ConfigurationReading.readForQuestions(option: configurationPath)
        }
    }

    /// For `status`, which also works with a faulty configuration.
    func readForStatus() throws -> ConfigurationReading {
        try noting { () throws(ConfigurationError) in
            try ConfigurationReading.readForStatus(option: configurationPath)
        }
    }

    /// For commands that need only the database path of the configuration.
    func readForRecords() throws -> ConfigurationReading {
        try noting { () throws(ConfigurationError) in
            try ConfigurationReading.readForRecords(option: configurationPath) { file in
                FileManager.default.contents(atPath: file).flatMap { try? StatusDocument(parsing: $0) }?
                    .history?.database
            }
        }
    }

    private func noting(_ read: () throws(ConfigurationError) -> ConfigurationReading) throws -> ConfigurationReading {
        do {
            let reading = try read()
            if let note = reading.note { StandardError.line("pricewatch: \(note)") }
            return reading
        } catch {
            throw CommandError(error.description, Exit.configuration)
        }
    }
}
