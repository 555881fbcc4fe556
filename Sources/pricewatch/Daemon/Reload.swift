import Engine
import Foundation
import Markets

/// SIGHUP: reloads the configuration.
extension Daemon {
    /// A valid file is applied between two cycles, a faulty one is reported at once.
    func hangUp() {
        parts.systemd.reloading()
        parts.logFile?.reopen()
        do throws(ConfigurationError) {
            pending = try parts.readAgain()
            if let reading = pending, !engine.isPolling { apply(reading) }
        } catch {
            reject(error.description)
        }
    }

    func apply(_ reading: ConfigurationReading) {
        pending = nil
        do {
            let (next, waiting) = try parts.reloaded(reading)
            let settings = next.settings
            let remembered = try next.history.load(settings, at: next.now().wall)
            parts = next
            perform(.reload(settings, remembered))
            parts.logConfiguration(settings, waitingForRestart: waiting)
            parts.systemd.reloaded()
        } catch {
            reject("\(error)")
        }
    }

    private func reject(_ fault: String) {
        let path = parts.reading.file?.path
        parts.log.write(
            LogLine(.error, "config.rejected") { line in
                line.add("file", path)
                line.add("message", fault)
            })
        perform(.rejected(fault.replacingBytes(of: ["\n"], with: "; ")))
        parts.systemd.reloaded()
    }
}

/// Keys that a running daemon cannot change: it holds the lock of its database, and readers expect its status at one
/// path.
enum KeptUntilRestart {
    /// Restores the values in force; returns the keys whose new values need a restart.
    static func apply(_ running: Configuration, to new: inout Configuration) -> [String] {
        var waiting: [String] = []
        func keep<Value: Equatable>(_ key: String, _ path: WritableKeyPath<Configuration, Value>) {
            guard new[keyPath: path] != running[keyPath: path] else { return }
            waiting.append(key)
            new[keyPath: path] = running[keyPath: path]
        }
        keep("history.database", \.history.database)
        keep("status_file", \.reports.status)
        keep("metrics_file", \.reports.metrics)
        return waiting
    }
}
