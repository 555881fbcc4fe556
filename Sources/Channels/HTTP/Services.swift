import Engine
import Foundation
import Markets

extension HTTPService {
    /// The owner's own receiver: a POST of the events as JSON, described in `etc/webhook.schema.json`.
    static func webhook(url: String) -> HTTPService {
        HTTPService(kind: "webhook", url: url, body: \.json) { status, _ in
            switch status {
            case 401, 403: "check what the URL must hold to be let in"
            case 404, 410: "check the URL"
            case 405: "the URL must take POST"
            default: nil
            }
        }
    }
}

// MARK: Slack

extension HTTPService {
    /// Slack's incoming webhooks (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
    static func slack(url: String) -> HTTPService {
        // Slack splits a message above 4,000 characters and truncates it above 40,000.
        HTTPService(kind: "slack", url: url) { message in
            .object { json in
                json.member("text", MessageText(message).fitted(toBytes: 4000, escaping: slackEscape))
                // No formatting for stars or underscores in names, and no link previews.
                json.member("mrkdwn", false)
                json.member("unfurl_links", false)
                json.member("unfurl_media", false)
            }
        } hint: { status, failure in
            // Slack answers with one word of plain text.
            switch failure.text.trimmingCharacters(in: .whitespacesAndNewlines) {
            case "invalid_token", "no_service", "no_service_id", "no_active_hooks", "no_team", "team_disabled":
                "the webhook was removed or disabled: make a new one in Slack"
            case "channel_not_found", "channel_is_archived": "give the webhook a channel that exists"
            case "action_prohibited", "posting_to_general_channel_denied":
                "the workspace's settings forbid it: ask its owner"
            case _ where status == 404: "check the URL: it was made by Slack for one channel"
            default: nil
            }
        }
    }

    /// The three characters that start mentions and links (docs.slack.dev/messaging/formatting-message-text).
    @Sendable private static func slackEscape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        default: nil
        }
    }
}

// MARK: Discord

extension HTTPService {
    /// Discord's webhooks (docs.discord.com/developers/resources/webhook#execute-webhook).
    ///
    /// - Parameter url: The webhook URL from Discord; may have `thread_id` in its query.
    static func discord(url: String) -> HTTPService {
        var components = URLComponents(string: url)
        // `wait` makes Discord answer after it has stored the message; without it, failures are not reported.
        let others = (components?.queryItems ?? []).filter { $0.name != "wait" }
        components?.queryItems = others + [URLQueryItem(name: "wait", value: "true")]
        return HTTPService(kind: "discord", url: components?.string ?? url) { message in
            .object { json in
                json.member("content", MessageText(message).fitted(toBytes: 2000, escaping: discordEscape))
                // No mentions: a market named @everyone must not notify anyone.
                json.object("allowed_mentions") { json in json.array("parse", [String]()) { $0.string($1) } }
                // SUPPRESS_EMBEDS: no preview for links in a note.
                json.member("flags", 4)
            }
        } hint: { status, failure in
            switch (failure.code, status) {
            case (10015, _), (_, 404): "the webhook was removed: make a new one in the channel's settings"
            case (50027, _), (_, 401): "check the URL: its last part is not this webhook's token"
            case (220_001, _): "the channel is a forum: add ?thread_id=… to the URL"
            default: nil
            }
        }
    }

    /// Escapes Markdown in names, which would otherwise format, quote, hide or link.
    @Sendable private static func discordEscape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\\", "*", "_", "~", "`", "|", ">", "#", "<", "[", "]", "@": "\\\(scalar)"
        default: nil
        }
    }
}

// MARK: Telegram

extension HTTPService {
    /// Telegram's bots (core.telegram.org/bots/api#sendmessage).
    ///
    /// - Parameters:
    ///   - chat: A number, or `@name` of a channel or group.
    ///   - base: The base URL of the Bot API.
    static func telegram(chat: String, token: String, base: String = "https://api.telegram.org") -> HTTPService {
        HTTPService(kind: "telegram", url: "\(base)/bot\(token)/sendMessage", secrets: [token]) { message in
            .object { json in
                json.key("chat_id")
                if let number = Int64(chat) { json.number(String(number)) } else { json.string(chat) }
                // The limit holds after entity parsing; without `parse_mode` there are no entities, and nothing needs
                // to be escaped.
                json.member("text", MessageText(message).fitted(toBytes: 4096))
                json.object("link_preview_options") { $0.member("is_disabled", true) }
            }
        } hint: { status, failure in
            let cause = failure.cause ?? ""
            switch status {
            case 401, 404: return "check the bot's token, as @BotFather gave it"
            case 403: return "the bot may not write there: write to it first, or add it to the chat"
            case 400:
                if let chat = failure.parameters?.migrateToChatId { return "the group has a new number: \(chat)" }
                if cause.contains("chat not found") {
                    return "check the chat's number, write to the bot first, or add it to the chat"
                }
                return cause.contains("not enough rights") ? "let the bot post messages there" : nil
            default: return nil
            }
        }
    }
}

// MARK: ntfy

extension HTTPService {
    /// ntfy, at ntfy.sh or self-hosted (docs.ntfy.sh/publish/#publish-as-json).
    ///
    /// A message is published as JSON to the server's root, with the topic in the body: ntfy also takes headers, but
    /// line breaks and emoji would have to be encoded there.
    ///
    /// - Parameters:
    ///   - url: The topic's URL, such as `https://ntfy.sh/my-topic`.
    ///   - token: nil if the topic is open.
    static func ntfy(url: String, token: String?) -> HTTPService {
        var components = URLComponents(string: url)
        var parts = (components?.percentEncodedPath ?? "").split(separator: "/").map(String.init)
        let last = parts.popLast() ?? ""
        let topic = last.removingPercentEncoding ?? last
        components?.percentEncodedPath = "/" + parts.map { $0 + "/" }.joined()
        return HTTPService(
            kind: "ntfy", url: components?.string ?? url, secrets: [url, topic] + [token].compactMap { $0 },
            headers: token.map { [("Authorization", "Bearer \($0)")] } ?? []
        ) { message in
            let text = MessageText(message)
            let (priority, tag) = ntfyPriority(message.severity)
            return .object { json in
                json.member("topic", topic)
                json.member("title", text.headline)
                // ntfy turns a message above 4096 bytes into an attachment, and accepts twice that as JSON.
                json.member("message", text.fittedLines(toBytes: 3800))
                json.member("priority", priority)
                // What a tap on the notification opens.
                if let link = text.link { json.member("click", link) }
                json.array("tags", [message.isAllResolved ? "white_check_mark" : tag]) { $0.string($1) }
            }
        } hint: { status, _ in
            switch status {
            case 400, 404, 405: "check the URL: a server and one topic, such as https://ntfy.sh/my-topic"
            case 401: "check the token"
            case 403: "the topic is protected: give a token that may write to it"
            default: nil
            }
        }
    }

    /// From 1 to 5, where 3 is ntfy's default, and the short code of an emoji that is shown before the title.
    private static func ntfyPriority(_ severity: AlertRule.Severity) -> (Int, tag: String) {
        switch severity {
        case .info: (3, "information_source")
        case .warning: (4, "warning")
        case .critical: (5, "rotating_light")
        }
    }
}
