/// Where the program writes unless the configuration says otherwise. Absolute paths; the folders may not exist yet.
struct DefaultFolders: Hashable, Sendable {
    /// The database.
    var state: String
    /// The log file.
    var log: String
    /// The status file.
    var runtime: String

    /// systemd's folders where it names them; else the system's for root and where the file in `/etc` is used; else
    /// the user's own.
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
    /// systemd separates several folders by colons; the first is ours.
    fileprivate func firstPath(_ name: String) -> String? {
        self[name]?.split(separator: ":").first.map(String.init)
    }
}
