import Engine
import Foundation
import Markets

/// Where messages go, as `check` tells it: without secrets.
extension Configuration {
    /// The channels that hear of this rule, by name.
    func channels(of rule: AlertRule) -> [String] { rule.notify ?? notify.map(\.name) }

    func destination(of rule: AlertRule) -> String {
        let names = channels(of: rule)
        return names.isEmpty ? "log and status alone" : names.joined(separator: ", ")
    }

    /// A line each for channels, digest and heartbeat.
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

    /// Warnings about `exec` channels that could not start their program.
    ///
    /// - Parameter path: where a program without a slash is looked for, folders separated by colons.
    func missingPrograms(path: String) -> [String] {
        notify.compactMap { channel in
            guard case .exec(let command) = channel.kind, let program = command.first else { return nil }
            let places = program.contains("/") ? [program] : path.split(separator: ":").map { "\($0)/\(program)" }
            if places.contains(where: StartFault.mayBeRun) { return nil }
            return "\(channel.name): \(program): \(StartFault.about(program, path: path))"
        }
    }
}

extension Configuration.Channel {
    /// What is special about it: `ntfy, quiet 23:00-07:00 below critical, given up after 1d`.
    fileprivate var summary: String {
        var parts = [kind.name]
        if let quiet { parts.append("quiet \(quiet.from)-\(quiet.to) below critical") }
        if !sendResolved { parts.append("no word of resolved alerts") }
        parts.append("given up after \(maxAge.unitsText)")
        return parts.joined(separator: ", ")
    }
}

extension Configuration.Channel.Kind {
    /// As the configuration calls it.
    var name: String {
        switch self {
        case .webhook: "webhook"
        case .slack: "slack"
        case .discord: "discord"
        case .telegram: "telegram"
        case .ntfy: "ntfy"
        case .exec: "exec"
        }
    }
}
