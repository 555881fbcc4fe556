import Feeds
import Foundation

extension Configuration.Channel {
    /// What sends to it. Secrets are read here, once; a rotated one needs a reload.
    ///
    /// - Parameters:
    ///   - environment: This process's own, of which a program gets a part.
    ///   - now: For waits that a service names as a date.
    func madeChannel(
        transport: any HTTPTransport, environment: [String: String] = ProcessInfo.processInfo.environment,
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> any pricewatch.Channel {
        func over<Service: HTTPService>(_ service: Service) -> any pricewatch.Channel {
            HTTPChannel(name: name, service: service, transport: transport, timeout: timeout, now: now)
        }
        return switch kind {
        case .webhook(let url): over(Webhook(url: url.revealed))
        case .slack(let url): over(Slack(url: url.revealed))
        case .discord(let url): over(Discord(url: url.revealed))
        case .telegram(let chat, let token): over(Telegram(chat: chat, token: token.revealed))
        case .ntfy(let url, let token): over(Ntfy(url: url.revealed, token: token?.revealed))
        case .exec(let command):
            ExecChannel(name: name, command: command, timeout: timeout, environment: ChildEnvironment(environment))
        }
    }
}
