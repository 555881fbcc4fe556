import Channels
import Engine
import Foundation
import HTTP
import Markets

extension Configuration {
    /// One entry of `notify`.
    struct Channel: Hashable, Sendable {
        /// `quiet`, `max_age`, `send_resolved`, and the name that rules use: 1 to 64 characters.
        var routing: Routing.Channel
        var address: ChannelAddress
        /// `timeout`: of one attempt.
        var timeout: Duration = .seconds(30)

        var name: String { routing.name }
    }
}

extension Configuration.Channel {
    private static let kinds = ["webhook", "slack", "discord", "telegram", "ntfy", "alertmanager", "exec"]

    static func list(_ section: Section) -> [Configuration.Channel] {
        section.entries().compactMap { name, item in
            item.section { Configuration.Channel(name: name, $0) }
        }
    }

    private init?(name: String, _ section: Section) {
        do throws(Unfit) { _ = try Scalar.name(upTo: 64).parse(name) } catch {
            section.fault("the name of the channel \(error.reason)")
        }
        var routing = Routing.Channel(name: name)
        if let times = section.oneOrMore("quiet", .quietTimes), !times.isEmpty {
            routing.quiet = QuietHours(times)
            if routing.quiet == nil {
                section.fault(
                    at: "quiet",
                    "covers the whole week, so that nothing below critical would ever be sent: leave some time out, or "
                        + "leave the channel out of the rules' notify")
            }
        }
        section.read("max_age", into: &routing.maxAge, .duration(atLeast: .minutes(1)))
        section.read("send_resolved", into: &routing.sendResolved, .boolean)
        let timeout = section.value("timeout", .duration(atLeast: .milliseconds(1)))
        guard let address = Self.address(section) else { return nil }
        routing.address = address.fingerprint
        if case .alertmanager = address {
            routing.takes = .states(isShared: section.value("shared", .boolean) ?? false)
        }
        self.init(routing: routing, address: address)
        self.timeout = timeout ?? self.timeout
    }

    private static func address(_ section: Section) -> ChannelAddress? {
        let allowHTTP = section.value("allow_http", .boolean) ?? false
        func url(_ key: String) -> Secret? { section.secret(key, .url(allowHTTP: allowHTTP)) }
        let given = kinds.filter(section.holds)
        let token = section.secret("token")
        let chat = section.value("telegram", .name(upTo: 64))
        let command = section.items("exec", expected: "a list of texts", hint: Hint.command)?
            .compactMap { $0.read(.text(upTo: 4096)) }
        let addresses = [
            "webhook": url("webhook").map { ChannelAddress.webhook(url: $0) },
            "slack": url("slack").map { .slack(url: $0) },
            "discord": url("discord").map { .discord(url: $0) },
            "telegram": chat.flatMap { chat in token.map { .telegram(chat: chat, token: $0) } },
            "ntfy": section.secret("ntfy", .topicURL(allowHTTP: allowHTTP)).map { .ntfy(url: $0, token: token) },
            "exec": command.map { .exec($0) },
            "alertmanager": Alertmanagers(section, token: token, allowHTTP: allowHTTP).map { .alertmanager($0) },
        ]
        if given.isEmpty {
            let isMail = section.pairs.contains { ["mail", "email", "smtp"].contains($0.key) }
            section.fault(
                "needs one of \(kinds.joined(separator: ", "))"
                    + (isMail ? " (e-mail: exec with a mail program, see the cookbook)" : ""))
        }
        if given.count > 1 {
            section.fault(at: given[1], "a channel is one thing: \(given.joined(separator: " and ")) need a name each")
        }
        if section.holds("token"), !["telegram", "ntfy", "alertmanager"].contains(where: given.contains) {
            section.fault(at: "token", "belongs to telegram, ntfy and alertmanager")
        }
        if given.first == "telegram", !section.holds("token") {
            section.fault(at: "telegram", "needs the bot's token: add token_file, token_env or token")
        }
        if command?.first?.isEmpty ?? (command != nil) {
            section.fault(at: "exec", "names no program, such as [/usr/local/bin/on-alert]")
        }
        return given.first.flatMap { addresses[$0] ?? nil }
    }

    func madeChannel(
        transport: any HTTPTransport, environment: [String: String] = ProcessInfo.processInfo.environment,
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> any Channel {
        address.channel(named: name, timeout: timeout, over: transport, environment: environment, now: now)
    }
}
