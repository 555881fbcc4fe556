/// Which file is the configuration, and who said so.
struct ConfigurationFile: Hashable, Sendable {
    /// Absolute, or relative to the working folder where `--config` or the variable has it so.
    var path: String
    var origin: Origin

    enum Origin: Hashable, Sendable {
        /// `--config`
        case option
        /// `$PRICEWATCH_CONFIG`
        case variable
        /// `~/.config/pricewatch/pricewatch.yaml`
        case user
        /// `/etc/pricewatch/pricewatch.yaml`
        case system
    }

    /// The first of the four that exists; nil: none does, the built-in defaults hold. One that is named is taken
    /// whether it exists or not, so that a mistyped path never ends in the defaults.
    static func find(option: String?, _ host: HostEnvironment) -> ConfigurationFile? {
        if let option { return ConfigurationFile(path: option, origin: .option) }
        if let path = host["PRICEWATCH_CONFIG"] { return ConfigurationFile(path: path, origin: .variable) }
        // A home that is closed to the user (`sudo -u` without `-H`, systemd's ProtectHome) is not theirs; a closed
        // folder in /etc means that there is a configuration.
        if BoundedFile.exists(host.userFile, hidden: false) {
            return ConfigurationFile(path: host.userFile, origin: .user)
        }
        if BoundedFile.exists(host.systemFile, hidden: true) {
            return ConfigurationFile(path: host.systemFile, origin: .system)
        }
        return nil
    }

    func folders(_ host: HostEnvironment) -> DefaultFolders {
        DefaultFolders(host, usesSystemFile: origin == .system || path == host.systemFile)
    }
}
