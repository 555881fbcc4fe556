import Engine
import Foundation
import Markets

/// The channels, as `check` prints them: without secrets.
extension Configuration {
    /// The names of the channels that this rule notifies.
    func channels(of rule: AlertRule) -> [String] { rule.notify ?? notify.map(\.name) }

    func destination(of rule: AlertRule) -> String {
        let names = channels(of: rule)
        return names.isEmpty ? "log and status alone" : names.joined(separator: ", ")
    }

    /// One line each for channels, digest and heartbeat.
    var outlets: [String] {
        var lines = notify.isEmpty ? [] : ["channels:      \(notify.count)"]
        lines += notify.map { "  \($0.name): \($0.summary)" }
        if let digest {
            lines.append("digest:        at \(digest.at) to \((["the log"] + digest.notify).joined(separator: ", "))")
        }
        if let heartbeat {
            lines.append("heartbeat:     every \(heartbeat.every.unitsText), after a poll that brought prices")
        }
        return lines
    }

    /// Warnings about `exec` channels whose program cannot be started.
    ///
    /// - Parameter path: The search path of programs without a slash, folders separated by colons.
    func missingPrograms(path: String) -> [String] {
        notify.compactMap { channel in channel.address.missingProgram(path: path).map { "\(channel.name): \($0)" } }
    }
}

extension Configuration.Channel {
    /// The channel's properties: `ntfy, quiet 23:00-07:00 below critical, given up after 1d`.
    fileprivate var summary: String {
        var parts = [address.kind]
        if let quiet = routing.quiet { parts.append("quiet \(quiet.from)-\(quiet.to) below critical") }
        if !routing.sendResolved { parts.append("no word of resolved alerts") }
        parts.append("given up after \(routing.maxAge.unitsText)")
        return parts.joined(separator: ", ")
    }
}
