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

    /// For the daemon and `check`: finds and reads the file, and reports all its faults.
    static func read(
        option: String?, _ host: HostEnvironment = .current
    ) throws(ConfigurationError) -> ConfigurationReading {
        guard let file = ConfigurationFile.find(option: option, host) else { return builtIn(host, file: nil) }
        return try read(file, host, sparesSecrets: false)
    }

    /// For commands that only read: secrets are not needed, and if this user may not read the configuration, the
    /// default paths are used, unless `--config` names the file.
    static func readForQuestions(
        option: String?, _ host: HostEnvironment = .current
    ) throws(ConfigurationError) -> ConfigurationReading {
        guard let file = ConfigurationFile.find(option: option, host) else { return builtIn(host, file: nil) }
        do {
            return try read(file, host, sparesSecrets: true)
        } catch .unreadable(let path, reason: let reason, closed: true) where file.origin != .option {
            var reading = builtIn(host, file: file)
            reading.note = "the configuration \(path.printable) cannot be read (\(reason)); using the default paths"
            return reading
        }
    }

    /// For `status`, which must also work with a faulty file: it takes the paths from the valid part of the file, and a
    /// note says that the file is faulty.
    static func readForStatus(
        option: String?, _ host: HostEnvironment = .current
    ) throws(ConfigurationError) -> ConfigurationReading {
        try readDespiteFaults(option: option, host).reading
    }

    /// For commands that need only the history: they work with a faulty file if the database path is certain, either
    /// from the file or from the running daemon's status.
    ///
    /// - Parameter database: The database path in this status file; nil if it has none.
    static func readForRecords(
        option: String?, _ host: HostEnvironment = .current, inStatus database: (_ file: String) -> String?
    ) throws(ConfigurationError) -> ConfigurationReading {
        var (reading, faults) = try readDespiteFaults(option: option, host)
        let usual = builtIn(host, file: reading.file).configuration.history.database
        let isUsual = reading.configuration.history.database == usual
        guard faults.contains(where: { $0.mayConcernDatabase(isUsual: isUsual) }) else { return reading }
        guard let named = database(reading.configuration.statusFile) else { throw .faults(faults) }
        reading.configuration.history.database = named
        return reading
    }

    private static func readDespiteFaults(
        option: String?, _ host: HostEnvironment
    ) throws(ConfigurationError) -> (reading: ConfigurationReading, faults: [ConfigurationFault]) {
        do {
            return (try readForQuestions(option: option, host), [])
        } catch .faults(let faults) {
            guard let file = ConfigurationFile.find(option: option, host), let text = try? BoundedFile.text(file.path)
            else { throw .faults(faults) }
            let understood = understand(text, file, ReadingContext(file: file.path, host, sparesSecrets: true))
            var reading = understood ?? builtIn(host, file: file)
            // If the file is not YAML, only the default paths are known.
            if understood == nil, !BoundedFile.exists(reading.configuration.statusFile, hidden: false) {
                throw .faults(faults)
            }
            let more = faults.count > 1 ? " and \(faults.count - 1) more" : ""
            reading.note = "the configuration is faulty (\(faults[0])\(more)); pricewatch check tells all"
            return (reading, faults)
        }
    }

    private static func builtIn(_ host: HostEnvironment, file: ConfigurationFile?) -> ConfigurationReading {
        let folders = file?.folders(host) ?? DefaultFolders(host, usesSystemFile: false)
        return ConfigurationReading(configuration: Configuration(folders: folders), file: file)
    }

    private static func read(
        _ file: ConfigurationFile, _ host: HostEnvironment, sparesSecrets: Bool
    ) throws(ConfigurationError) -> ConfigurationReading {
        guard !file.path.isEmpty else {
            throw .unreadable(file: "''", reason: "the path is empty (name a file behind --config)", closed: false)
        }
        let text: String
        do {
            text = try BoundedFile.text(file.path)
        } catch {
            throw .unreadable(file: file.path, reason: error.reason, closed: error.cause == .closed)
        }
        return try parse(text, file: file, host, sparesSecrets: sparesSecrets)
    }

    /// `text` as the contents of `file`.
    static func parse(
        _ text: String, file: ConfigurationFile, _ host: HostEnvironment, sparesSecrets: Bool = false
    ) throws(ConfigurationError) -> ConfigurationReading {
        let context = ReadingContext(file: file.path, host, sparesSecrets: sparesSecrets)
        let reading = understand(text, file, context)
        guard let reading, context.faults.isEmpty else { throw .faults(context.faultsInOrder) }
        return reading
    }

    /// The valid part of `text`; nil if it is not YAML.
    private static func understand(
        _ text: String, _ file: ConfigurationFile, _ context: ReadingContext
    ) -> ConfigurationReading? {
        var configuration = Configuration(folders: file.folders(context.host))
        do {
            if let root = try YAMLValue.parse(text, file: file.path), !root.isNull {
                if let pairs = root.pairs(context) {
                    configuration.read(Section(pairs, path: "", at: root.position, context))
                } else {
                    context.fault(
                        root.position, nil, "expected keys such as watch: and alerts:, found \(root.kind)")
                }
            }
        } catch {
            context.faults.append(error)
            return nil
        }
        return ConfigurationReading(configuration: configuration, file: file, warnings: context.warningsInOrder)
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
