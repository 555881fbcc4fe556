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

    /// For the daemon and `check`: finds and reads the file, and reports all its faults.
    static func read(
        option: String?, _ host: HostEnvironment = .current
    ) throws(ConfigurationError) -> ConfigurationReading {
        try find(option, host, onlyReads: false).sound()
    }

    /// For commands that only read: secrets are not needed, and if this user may not read the configuration, the
    /// default paths are used, unless `--config` names the file.
    static func readForQuestions(
        option: String?, _ host: HostEnvironment = .current
    ) throws(ConfigurationError) -> ConfigurationReading {
        try find(option, host, onlyReads: true).sound()
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
        if reading.configuration == usual, !BoundedFile.exists(usual.statusFile, hidden: false) {
            throw .faults(reading.faults)
        }
        let more = reading.faults.count > 1 ? " and \(reading.faults.count - 1) more" : ""
        reading.note = "the configuration is faulty (\(first)\(more)); pricewatch check tells all"
        return reading
    }

    /// For commands that need only the history: they work with a faulty file if the database path is certain, either
    /// from the file or from the running daemon's status.
    ///
    /// - Parameter database: The database path in this status file; nil if it has none.
    static func readForRecords(
        option: String?, _ host: HostEnvironment = .current, inStatus database: (_ file: String) -> String?
    ) throws(ConfigurationError) -> ConfigurationReading {
        var reading = try readForStatus(option: option, host)
        let usual = builtIn(host, file: reading.file).configuration.history.database
        let isUsual = reading.configuration.history.database == usual
        guard reading.faults.contains(where: { $0.mayConcernDatabase(isUsual: isUsual) }) else { return reading }
        guard let named = database(reading.configuration.statusFile) else { throw .faults(reading.faults) }
        reading.configuration.history.database = named
        return reading
    }

    private func sound() throws(ConfigurationError) -> ConfigurationReading {
        if !faults.isEmpty { throw .faults(faults) }
        return self
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
            guard onlyReads, error.cause == .closed, file.origin != .option else {
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

extension ConfigurationFault {
    /// Whether it may have kept `history.database` from its intended value.
    ///
    /// - Parameter isUsual: Whether the path that was understood is the default.
    fileprivate func mayConcernDatabase(isUsual: Bool) -> Bool {
        guard let keyPath, !keyPath.hasPrefix("history.database") else { return keyPath != nil || isUsual }
        let isUnknownSection = !keyPath.contains(".") && message.hasPrefix("unknown key")
        return isUsual && (keyPath.hasPrefix("history") || isUnknownSection)
    }
}
