import Channels
import Foundation
import HTTP
import Markets

extension Configuration {
    /// One entry of `notify`.
    struct Channel: Hashable, Sendable {
        /// The name that rules use: 1 to 64 characters.
        var name: String
        var kind: Kind
        /// `quiet`: messages below critical wait for its end and are sent as one; nil: never quiet.
        var quiet: QuietHours?
        /// `max_age`: a message that could not be delivered for this long is dropped.
        var maxAge: Duration = .hours(24)
        /// `send_resolved`: whether resolved alerts are sent.
        var sendResolved = true
        /// `timeout`: of one attempt.
        var timeout: Duration = .seconds(30)
        /// `allow_http`: allows plain http to other machines.
        var allowHTTP = false

        enum Kind: Hashable, Sendable {
            /// A POST with the events as JSON.
            case webhook(url: Secret)
            case slack(url: Secret)
            case discord(url: Secret)
            /// A chat, as its number or @name, and the bot's `token`.
            case telegram(chat: String, token: Secret)
            /// The topic's URL and, if it is protected, a `token`.
            case ntfy(url: Secret, token: Secret?)
            /// A program and its arguments, run without a shell.
            case exec([String])
        }
    }
}

extension Configuration.Channel {
    static let kinds = ["webhook", "slack", "discord", "telegram", "ntfy", "exec"]

    static func list(_ section: Section) -> [Configuration.Channel] {
        section.children().compactMap { Configuration.Channel(name: $0.name, $0.item) }
    }

    private init?(name: String, _ item: Item) {
        guard let section = item.section() else { return nil }
        if let objection = Scalar.objection(toName: name, upTo: 64) {
            item.fault("the name of the channel \(objection)")
        }
        let allowHTTP = section.value("allow_http", .boolean) ?? false
        let given = Self.kinds.filter(section.holds)
        let kind = Self.kind(section, given: given, rule: .plain(allowHTTP: allowHTTP))
        let quiet = section.value("quiet", .quietHours)
        let maxAge = section.value("max_age", .duration(atLeast: .minutes(1)))
        let sendResolved = section.value("send_resolved", .boolean)
        let timeout = section.value("timeout", .duration(atLeast: .milliseconds(1)))
        section.finish()
        if given.isEmpty {
            item.fault("needs one of \(Self.kinds.joined(separator: ", "))")
        } else if given.count > 1 {
            section.fault(at: given[1], "a channel is one thing: \(given.joined(separator: " and ")) need a name each")
        }
        guard let kind else { return nil }
        self.init(name: name, kind: kind, quiet: quiet, allowHTTP: allowHTTP)
        if let maxAge { self.maxAge = maxAge }
        if let sendResolved { self.sendResolved = sendResolved }
        if let timeout { self.timeout = timeout }
    }

    private static func kind(_ section: Section, given: [String], rule: URLRule) -> Kind? {
        let webhook = section.secretURL("webhook", rule)
        let slack = section.secretURL("slack", rule)
        let discord = section.secretURL("discord", rule)
        let chat = section.asWritten("telegram", .name(upTo: 64))
        let ntfy = section.secretURL("ntfy", rule)
        let token = section.secret("token")
        let command = section.strings("exec")
        if section.holds("token"), !given.contains("telegram"), !given.contains("ntfy") {
            section.fault(at: "token", "belongs to telegram and ntfy")
        }
        switch given.first {
        case "webhook": return webhook.map { .webhook(url: $0) }
        case "slack": return slack.map { .slack(url: $0) }
        case "discord": return discord.map { .discord(url: $0) }
        case "ntfy": return ntfy.map { .ntfy(url: $0, token: token) }
        case "telegram":
            if !section.holds("token") {
                section.fault(at: "telegram", "needs the bot's token: add token_file, token_env or token")
            }
            guard let chat, let token else { return nil }
            return .telegram(chat: chat, token: token)
        case "exec":
            if section.isEmptyList("exec") || command?.first == "" {
                section.fault(at: "exec", "names no program, such as [/usr/local/bin/on-alert]")
                return nil
            }
            return command.map { .exec($0) }
        default: return nil
        }
    }
}

/// The channel names allowed in the `notify` lists of rules and of the digest.
struct ChannelNames {
    var known: [String]

    /// nil if the key is absent: every channel.
    func read(_ section: Section, _ key: String) -> [String]? {
        guard section.holds(key) else {
            section.ignore(key)
            return nil
        }
        var names: [String] = []
        for item in section.items(key) {
            guard let name = item.value(.name(upTo: 64)) else { continue }
            if known.contains(name) {
                names.append(name)
            } else {
                let close = Spelling.closest(to: name, among: known).map { "; did you mean \($0)?" }
                let all =
                    known.isEmpty ? "; notify defines no channel" : "; notify has \(known.joined(separator: ", "))"
                item.fault("there is no channel \(name.quoted)\(close ?? all)")
            }
        }
        return names
    }
}

extension Configuration.Channel {
    /// Secrets are read once, here; a rotated one needs a reload.
    var address: ChannelAddress {
        switch kind {
        case .webhook(let url): .webhook(url: url.revealed)
        case .slack(let url): .slack(url: url.revealed)
        case .discord(let url): .discord(url: url.revealed)
        case .telegram(let chat, let token): .telegram(chat: chat, token: token.revealed)
        case .ntfy(let url, let token): .ntfy(url: url.revealed, token: token?.revealed)
        case .exec(let command): .exec(command)
        }
    }

    func madeChannel(
        transport: any HTTPTransport, environment: [String: String] = ProcessInfo.processInfo.environment,
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> any Channel {
        address.channel(named: name, timeout: timeout, over: transport, environment: environment, now: now)
    }
}
