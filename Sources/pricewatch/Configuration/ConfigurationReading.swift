import Engine
import Foundation

/// A configuration, its file, and its warnings.
struct ConfigurationReading: Sendable {
    var configuration: Configuration
    /// nil: no file, the built-in defaults.
    var file: ConfigurationFile?
    /// Warnings about accepted values, in the file's order.
    var warnings: [ConfigurationFault] = []
    /// A note for people that the file was closed or faulty, and what is used instead.
    var note: String?
    /// Faults of the file, of which the valid part is used; empty but for the commands that work with a faulty file.
    var faults: [ConfigurationFault] = []

    /// Finds and reads the file, and reports all its faults.
    ///
    /// - Parameter onlyReads: For commands that only read: secrets are not needed, and if this user may not read the
    ///   configuration, the default paths are used, unless `--config` names the file.
    static func read(
        option: String?, _ host: HostEnvironment = .current, onlyReads: Bool = false
    ) throws(ConfigurationError) -> ConfigurationReading {
        let reading = try find(option, host, onlyReads: onlyReads)
        if !reading.faults.isEmpty { throw .faults(reading.faults) }
        return reading
    }

    /// For `status`, which must also work with a faulty file: it takes the paths from the valid part of the file, and a
    /// note says that the file is faulty.
    static func readForStatus(
        option: String?, _ host: HostEnvironment = .current
    ) throws(ConfigurationError) -> ConfigurationReading {
        var reading = try find(option, host, onlyReads: true)
        guard let first = reading.faults.first else { return reading }
        // If nothing was understood, only the default paths are known.
        let usual = builtIn(host, file: reading.file).configuration
        if reading.configuration == usual, !BoundedFile.exists(usual.reports.status, hidden: false) {
            throw .faults(reading.faults)
        }
        let more = reading.faults.count > 1 ? " and \(reading.faults.count - 1) more" : ""
        reading.note = "the configuration is faulty (\(first)\(more)); pricewatch check tells all"
        return reading
    }

    /// For commands that need only the history: with a faulty file, the last status names the database that is meant.
    static func readForRecords(
        option: String?, _ host: HostEnvironment = .current
    ) throws(ConfigurationError) -> ConfigurationReading {
        var reading = try readForStatus(option: option, host)
        if reading.faults.isEmpty { return reading }
        guard let status = FileManager.default.contents(atPath: reading.configuration.reports.status),
            let report = StatusReport(json: status)
        else { throw .faults(reading.faults) }
        reading.configuration.history.database = report.history.database
        return reading
    }

    private static func builtIn(_ host: HostEnvironment, file: ConfigurationFile?) -> ConfigurationReading {
        let folders = file?.folders(host) ?? DefaultFolders(host, usesSystemFile: false)
        return ConfigurationReading(configuration: Configuration(folders: folders), file: file)
    }

    private static func find(
        _ option: String?, _ host: HostEnvironment, onlyReads: Bool
    ) throws(ConfigurationError) -> ConfigurationReading {
        guard let file = ConfigurationFile.find(option: option, host) else { return builtIn(host, file: nil) }
        guard !file.path.isEmpty else {
            throw .unreadable(file: "''", reason: "the path is empty (name a file behind --config)")
        }
        do throws(BoundedFile.Unreadable) {
            return parse(try BoundedFile.text(file.path), file: file, host, sparesSecrets: onlyReads)
        } catch {
            guard onlyReads, error.isForbidden, !file.isOption else {
                throw .unreadable(file: file.path, reason: error.reason)
            }
            var reading = builtIn(host, file: file)
            reading.note =
                "the configuration \(file.path.printable) cannot be read (\(error.reason)); using the default paths"
            return reading
        }
    }

    /// The valid part of `text` as the contents of `file`, and its faults.
    static func parse(
        _ text: String, file: ConfigurationFile, _ host: HostEnvironment, sparesSecrets: Bool = false
    ) -> ConfigurationReading {
        let context = ReadingContext(file: file.path, host, sparesSecrets: sparesSecrets)
        var reading = builtIn(host, file: file)
        do {
            if let root = try YAMLValue.parse(text, file: file.path), !root.isNull {
                if let pairs = root.pairs(context) {
                    reading.configuration.read(Section(pairs, path: "", at: root.position, context))
                } else {
                    context.fault(root.position, nil, "expected keys such as watch: and alerts:, found \(root.kind)")
                }
            }
        } catch {
            context.faults.append(error)
        }
        reading.warnings = context.warningsInOrder
        reading.faults = context.faultsInOrder
        return reading
    }
}
