import Foundation

/// What the configuration depends on outside its file, as values, so that a test brings its own.
struct HostEnvironment: Sendable {
    /// Environment variables.
    var variables: [String: String]
    /// The user's home folder; absolute.
    var home: String
    var isRoot: Bool
    /// Where the administrator's configuration is.
    var systemFile = "/etc/pricewatch/pricewatch.yaml"

    /// This process's own.
    static var current: HostEnvironment {
        let variables = ProcessInfo.processInfo.environment
        return HostEnvironment(
            variables: variables, home: variables.text("HOME") ?? NSHomeDirectory(), isRoot: geteuid() == 0)
    }

    /// Where the user's own configuration is.
    var userFile: String { home + "/.config/pricewatch/pricewatch.yaml" }

    /// The variable's value; nil also where it is set to nothing, as the XDG rules want it.
    subscript(_ name: String) -> String? { variables.text(name) }
}

extension [String: String] {
    fileprivate func text(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}
