import Markets

extension Configuration.Channel {
    /// What is special about it, without its secrets: `ntfy, quiet 23:00-07:00`.
    var summary: String {
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
