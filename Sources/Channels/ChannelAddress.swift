import Foundation
import HTTP
import Markets

/// How a channel is reached.
package enum ChannelAddress: Hashable, Sendable {
    /// A POST of the events as JSON.
    case webhook(url: Secret)
    case slack(url: Secret)
    case discord(url: Secret)
    /// A chat, by number or @name, and the bot's token.
    case telegram(chat: String, token: Secret)
    /// The topic's URL and, if it is protected, a token.
    case ntfy(url: Secret, token: Secret?)
    /// Every address of a cluster.
    case alertmanager(Alertmanagers)
    /// A program and its arguments; no shell.
    case exec([String])

    /// - Parameters:
    ///   - timeout: of one attempt.
    ///   - environment: This process's environment, of which a program gets a part.
    ///   - now: The clock, for a `Retry-After` given as a date.
    package func channel(
        named name: String, timeout: Duration, over transport: any HTTPTransport, environment: [String: String],
        now: @escaping @Sendable () -> Date
    ) -> any Channel {
        func over(_ service: HTTPService) -> HTTPChannel {
            HTTPChannel(name: name, service: service, transport: transport, timeout: timeout, now: now)
        }
        return switch self {
        case .webhook(let url): over(.webhook(url: url.revealed))
        case .slack(let url): over(.slack(url: url.revealed))
        case .discord(let url): over(.discord(url: url.revealed))
        case .telegram(let chat, let token): over(.telegram(chat: chat, token: token.revealed))
        case .ntfy(let url, let token): over(.ntfy(url: url.revealed, token: token?.revealed))
        case .alertmanager(let cluster):
            AlertmanagerChannel(name: name, cluster: cluster, transport: transport, now: now)
        case .exec(let command):
            ExecChannel(name: name, command: command, timeout: timeout, environment: ChildEnvironment(environment))
        }
    }

    /// Why the program of an exec channel cannot be started; nil if it can, and for other channels.
    ///
    /// - Parameter path: where a program without a slash is looked up: folders separated by colons.
    package func missingProgram(path: String) -> String? {
        guard case .exec(let command) = self, let program = command.first else { return nil }
        return ProgramFile.fault(of: program, path: path).map { "\(program): \($0)" }
    }

    /// Where messages are sent: `ntfy.sh` or `127.0.0.1:8080`, without path and query, which are secret; nil for a program.
    package var host: String? {
        switch self {
        case .webhook(let url), .slack(let url), .discord(let url), .ntfy(let url, _):
            url.hostAndPort
        case .telegram: "api.telegram.org"
        case .alertmanager(let cluster): cluster.urls.compactMap(\.hostAndPort).joined(separator: ", ")
        case .exec: nil
        }
    }

    /// Changes with the address, and holds no secret.
    package var fingerprint: String { StableID.of(parts) }

    /// The key of the configuration: `ntfy`.
    package var kind: String { parts[0] }

    private var parts: [String] {
        switch self {
        case .webhook(let url): ["webhook", url.revealed]
        case .slack(let url): ["slack", url.revealed]
        case .discord(let url): ["discord", url.revealed]
        case .telegram(let chat, let token): ["telegram", chat, token.revealed]
        case .ntfy(let url, let token): ["ntfy", url.revealed, token?.revealed ?? ""]
        case .alertmanager(let cluster): ["alertmanager"] + cluster.urls.map(\.revealed) + cluster.secrets
        case .exec(let command): ["exec"] + command
        }
    }
}

extension Secret {
    /// Of a URL: `127.0.0.1:8080`; nil if it names no host.
    package var hostAndPort: String? {
        URLComponents(string: revealed).flatMap { url in url.host.map { $0 + (url.port.map { ":\($0)" } ?? "") } }
    }
}
