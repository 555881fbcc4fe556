import Foundation
import HTTP
import Markets

/// How a channel is reached. Holds its secrets.
package enum ChannelAddress: Hashable, Sendable {
    /// A POST of the events as JSON.
    case webhook(url: String)
    case slack(url: String)
    case discord(url: String)
    /// A chat, by number or @name, and the bot's token.
    case telegram(chat: String, token: String)
    /// The topic's URL and, if it is protected, a token.
    case ntfy(url: String, token: String?)
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
        case .webhook(let url): over(.webhook(url: url))
        case .slack(let url): over(.slack(url: url))
        case .discord(let url): over(.discord(url: url))
        case .telegram(let chat, let token): over(.telegram(chat: chat, token: token))
        case .ntfy(let url, let token): over(.ntfy(url: url, token: token))
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

    /// Changes with the address, and holds no secret.
    package var fingerprint: String { StableID.of(["\(self)"]) }
}
