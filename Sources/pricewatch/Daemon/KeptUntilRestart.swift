/// Keys that a running daemon cannot change: its role is bound to its database, and whoever watches it looks for its
/// status in one place.
enum KeptUntilRestart {
    /// Puts back what is in force now; returns the keys whose new values wait for a restart.
    static func apply(_ running: Configuration, to new: inout Configuration) -> [String] {
        var waiting: [String] = []
        func keep<Value: Equatable>(_ key: String, _ path: WritableKeyPath<Configuration, Value>) {
            guard new[keyPath: path] != running[keyPath: path] else { return }
            waiting.append(key)
            new[keyPath: path] = running[keyPath: path]
        }
        keep("history.database", \.history.database)
        keep("status_file", \.statusFile)
        keep("metrics_file", \.metricsFile)
        return waiting
    }
}
