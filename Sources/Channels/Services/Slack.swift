import Foundation
import Markets

/// Slack's incoming webhooks (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
struct Slack: HTTPService {
    static let kind = "slack"
    let url: String

    /// Slack splits a message above 4,000 characters and truncates it above 40,000.
    private static let limit = TextLimit.utf16(4000, escaping: escape)

    func body(for message: Message) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("text", MessageText(message).fitted(to: Self.limit).replacingScalars(Self.escape))
            // No formatting for stars or underscores in names, and no link previews.
            json.member("mrkdwn", false)
            json.member("unfurl_links", false)
            json.member("unfurl_media", false)
        }
        return json.bytes
    }

    /// The three characters that start mentions and links (docs.slack.dev/messaging/formatting-message-text).
    @Sendable private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        default: nil
        }
    }

    /// Slack answers with one word of plain text.
    func diagnose(status: Int, _ body: Data) -> Diagnosis {
        let word = String(decoding: body.prefix(80), as: UTF8.self)
        let hint: String? =
            switch word.trimmingCharacters(in: .whitespacesAndNewlines) {
            case "invalid_token", "no_service", "no_service_id", "no_active_hooks", "no_team", "team_disabled":
                "the webhook was removed or disabled: make a new one in Slack"
            case "channel_not_found", "channel_is_archived": "give the webhook a channel that exists"
            case "action_prohibited", "posting_to_general_channel_denied":
                "the workspace's settings forbid it: ask its owner"
            case _ where status == 404: "check the URL: it was made by Slack for one channel"
            default: nil
            }
        return Diagnosis(hint: hint)
    }
}
