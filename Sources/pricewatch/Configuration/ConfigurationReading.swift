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
        return try read(file, host, secrets: .needed)
    }

    /// For commands that only read: secrets are not needed, and if this user may not read the configuration, the
    /// default paths are used, unless `--config` names the file.
    static func readForQuestions(
        option: String?, _ host: HostEnvironment = .current
    ) throws(ConfigurationError) -> ConfigurationReading {
        guard let file = ConfigurationFile.find(option: option, host) else { return builtIn(host, file: nil) }
        do {
            return try read(file, host, secrets: .spared)
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
        guard faults.leaveDatabaseOpen(reading.configuration, reading.usualDatabase(host)) else { return reading }
        guard let named = database(reading.configuration.statusFile) else {
            throw .faults(faults)
        }
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
            let understood = understand(text, file: file, host, secrets: .spared, FaultReport(file: file.path))
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

    private func usualDatabase(_ host: HostEnvironment) -> String {
        Self.builtIn(host, file: file).configuration.history.database
    }

    private static func builtIn(_ host: HostEnvironment, file: ConfigurationFile?) -> ConfigurationReading {
        let folders = file?.folders(host) ?? DefaultFolders(host, usesSystemFile: false)
        return ConfigurationReading(configuration: Configuration(folders: folders), file: file)
    }

    private static func read(
        _ file: ConfigurationFile, _ host: HostEnvironment, secrets: SecretReading
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
        return try parse(text, file: file, host, secrets: secrets)
    }

    /// `text` as the contents of `file`.
    static func parse(
        _ text: String, file: ConfigurationFile, _ host: HostEnvironment, secrets: SecretReading = .needed
    ) throws(ConfigurationError) -> ConfigurationReading {
        let report = FaultReport(file: file.path)
        let reading = understand(text, file: file, host, secrets: secrets, report)
        guard let reading, report.faults.isEmpty else { throw .faults(report.faultsInOrder) }
        return reading
    }

    /// The valid part of `text`; nil if it is not YAML.
    private static func understand(
        _ text: String, file: ConfigurationFile, _ host: HostEnvironment, secrets: SecretReading, _ report: FaultReport
    ) -> ConfigurationReading? {
        let source = ValueSource(file: file.path, host: host, secrets: secrets)
        var configuration = Configuration(folders: file.folders(host))
        do {
            if let tree = try YAMLDocument.read(text, file: file.path, faults: &report.faults), !tree.isNull {
                if case .mapping(let pairs) = tree.content {
                    configuration.overlay(
                        Section(pairs, path: "", at: tree.position, source: source, report: report))
                } else {
                    report.fault(tree.position, nil, "expected keys such as watch: and alerts:, found \(tree.kind)")
                }
            }
        } catch {
            report.faults.append(error)
            return nil
        }
        return ConfigurationReading(configuration: configuration, file: file, warnings: report.warningsInOrder)
    }
}

extension Configuration {
    /// Overlays the file on the defaults.
    fileprivate mutating func overlay(_ root: Section) {
        let stated = root.value("currency", .currency)
        currency = stated ?? currency
        let feedsGiven = Feed.list(root, in: stated == nil && root.holds("currency") ? nil : currency)
        feeds = feedsGiven ?? feeds
        if let section = root.section("watch") { watch = Watch(section, feeds: feeds) }
        if let section = root.section("poll") { poll = Poll(section) }
        if let section = root.section("history") { history = History(section, defaults: history) }

        let channelSection = root.section("notify")
        let channels = ChannelNames(known: channelSection?.names ?? [])
        if let channelSection { notify = Channel.list(channelSection) }
        builtinAlerts = root.value("builtin_alerts", .boolean) ?? builtinAlerts
        alerts = Rule.list(root, channels: channels, kept: history, builtIn: builtinAlerts)
        let digestSection = root.section("digest")
        if root.isNull("digest") { digest = nil }
        if let digestSection { digest = Digest(digestSection, channels: channels) }
        if let section = root.section("heartbeat") { heartbeat = Heartbeat(section) }

        timeZone = root.value("timezone", .timeZone) ?? timeZone
        if let section = root.section("log") { log = Log(section, defaults: log) }
        statusFile = root.value("status_file", .path) ?? statusFile
        metricsFile = root.value("metrics_file", .path)
        root.finish()
        if watch.top == 0, namedMarkets.isEmpty, root.isSound {
            root.fault("nothing is watched: name watch.markets, or set watch.top")
        }
        if watch.top > 0, root.isSound, let first = feeds.first, first.provider.listed?.ranksMarkets != true {
            root.fault("watch.top: \(first.name) cannot be asked for the largest markets: name watch.markets instead")
        }
        judgePaths(root)
    }

    /// Reports paths that are used twice: two writers would destroy each other's file.
    private func judgePaths(_ root: Section) {
        var owners: [String: String] = [:]
        let paths = [
            ("history.database", history.database), ("log.file", log.file), ("status_file", statusFile),
            ("metrics_file", metricsFile),
        ]
        for case (let key, let path?) in paths {
            if let owner = owners.updateValue(key, forKey: path) {
                root.fault("\(owner) and \(key) are the same file, \(path.printable)")
            }
        }
    }
}

extension [ConfigurationFault] {
    /// Whether a fault may have kept `history.database` from its intended value.
    fileprivate func leaveDatabaseOpen(_ configuration: Configuration, _ usual: String) -> Bool {
        let isUsual = configuration.history.database == usual
        return contains { fault in
            guard let path = fault.keyPath else { return isUsual }
            if path.hasPrefix("history") { return isUsual || path.hasPrefix("history.database") }
            return isUsual && !path.contains(".") && fault.message.hasPrefix("unknown key")
        }
    }
}
