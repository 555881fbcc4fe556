import Foundation
import Markets

/// Telegram's bots (core.telegram.org/bots/api#sendmessage).
struct Telegram: HTTPService {
    static let kind = "telegram"
    /// Holds the bot's token.
    let url: String
    let secrets: [String]
    private let chat: String

    /// The length limit of `text` after entity parsing; without `parse_mode` there are no entities, and nothing needs
    /// to be escaped.
    private static let limit = TextLimit.utf16(4096)

    /// - Parameters:
    ///   - chat: A number, or `@name` of a channel or group.
    ///   - base: The base URL of the Bot API.
    init(chat: String, token: String, base: String = "https://api.telegram.org") {
        self.chat = chat
        url = "\(base)/bot\(token)/sendMessage"
        secrets = [token]
    }

    func body(for message: Message) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key("chat_id")
            if let number = Int64(chat) { json.number(String(number)) } else { json.string(chat) }
            json.member("text", MessageText(message).fitted(to: Self.limit))
            json.object("link_preview_options") { $0.member("is_disabled", true) }
        }
        return json.bytes
    }

    private struct Failure: Decodable {
        var description: String?
        var parameters: Parameters?

        struct Parameters: Decodable {
            /// Seconds.
            var retryAfter: Double?
            var migrateToChat: Int64?

            enum CodingKeys: String, CodingKey {
                case retryAfter = "retry_after"
                case migrateToChat = "migrate_to_chat_id"
            }
        }
    }

    func diagnose(status: Int, _ body: Data) -> Diagnosis {
        let failure = try? JSONDecoder().decode(Failure.self, from: body)
        let cause = failure?.description ?? ""
        let hint: String? =
            switch status {
            case 401, 404: "check the bot's token, as @BotFather gave it"
            case 403: "the bot may not write there: write to it first, or add it to the chat"
            case 400 where failure?.parameters?.migrateToChat != nil:
                "the group has a new number: \(failure?.parameters?.migrateToChat ?? 0)"
            case 400 where cause.contains("chat not found"):
                "check the chat's number, write to the bot first, or add it to the chat"
            case 400 where cause.contains("not enough rights"): "let the bot post messages there"
            default: nil
            }
        return Diagnosis(
            cause: failure?.description, hint: hint,
            retryAfter: Duration(waitSeconds: failure?.parameters?.retryAfter))
    }
}
