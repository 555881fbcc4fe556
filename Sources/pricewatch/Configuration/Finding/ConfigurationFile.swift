import Foundation

/// The path of the configuration, and where the path comes from.
struct ConfigurationFile: Hashable, Sendable {
    /// Absolute, or relative to the working folder if `--config` or the variable gives it so.
    var path: String
    /// Whether `--config` gives it.
    var isOption = false

    /// The first of the four that exists; nil: none exists, and the built-in defaults apply. A path given by option or
    /// variable is used even if it does not exist, so that a mistyped one does not fall back to the defaults.
    static func find(option: String?, _ host: HostEnvironment) -> ConfigurationFile? {
        if let option { return ConfigurationFile(path: option, isOption: true) }
        if let path = host["PRICEWATCH_CONFIG"] { return ConfigurationFile(path: path) }
        // A home folder without permission (`sudo -u` without `-H`, systemd's ProtectHome) is not this user's and is
        // skipped; an /etc folder without permission is assumed to contain a configuration.
        if BoundedFile.exists(host.userFile, hidden: false) { return ConfigurationFile(path: host.userFile) }
        return BoundedFile.exists(host.systemFile, hidden: true) ? ConfigurationFile(path: host.systemFile) : nil
    }

    func folders(_ host: HostEnvironment) -> DefaultFolders {
        DefaultFolders(host, usesSystemFile: path == host.systemFile)
    }
}

/// The default paths of written files. Absolute; the folders may not exist yet.
struct DefaultFolders: Hashable, Sendable {
    /// The database.
    var state: String
    /// The log file.
    var log: String
    /// The status file.
    var runtime: String

    /// systemd's folders if it sets them; else the system's, for root or if the file in `/etc` is used; else the
    /// user's.
    init(_ host: HostEnvironment, usesSystemFile: Bool) {
        let isSystem = host.isRoot || usesSystemFile
        let state =
            host.firstPath("STATE_DIRECTORY")
            ?? (isSystem ? "/var/lib/pricewatch" : host.home + "/.local/state/pricewatch")
        self.state = state
        log = host.firstPath("LOGS_DIRECTORY") ?? (isSystem ? "/var/log/pricewatch" : state)
        runtime =
            host.firstPath("RUNTIME_DIRECTORY")
            ?? (isSystem ? "/run/pricewatch" : host["XDG_RUNTIME_DIR"].map { $0 + "/pricewatch" } ?? state)
    }
}

extension HostEnvironment {
    /// systemd separates several folders by colons; the first is used.
    fileprivate func firstPath(_ name: String) -> String? {
        self[name]?.split(separator: ":").first.map(String.init)
    }
}

/// The environment that configuration depends on, as values that tests can replace.
struct HostEnvironment: Sendable {
    /// Environment variables.
    var variables: [String: String]
    /// The user's home folder; absolute.
    var home: String
    var isRoot: Bool
    /// The path of the system's configuration.
    var systemFile = "/etc/pricewatch/pricewatch.yaml"
    /// Before the paths of the system's own files.
    var root = ""

    /// This process's environment.
    static var current: HostEnvironment {
        var host = HostEnvironment(
            variables: ProcessInfo.processInfo.environment, home: NSHomeDirectory(), isRoot: geteuid() == 0)
        // Foundation takes the home folder from the user database.
        host.home = host["HOME"] ?? host.home
        return host
    }

    /// The path of the user's configuration.
    var userFile: String { home + "/.config/pricewatch/pricewatch.yaml" }

    /// The variable's value; nil also if it is empty, as the XDG specification requires.
    subscript(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
}
