import Foundation
import Markets

/// Discord's webhooks (docs.discord.com/developers/resources/webhook#execute-webhook).
struct Discord: HTTPService {
    static let kind = "discord"
    let url: String

    /// The length limit of `content`.
    private static let limit = TextLimit.utf16(2000, escaping: escape)
    /// SUPPRESS_EMBEDS: no preview for links in a note.
    private static let withoutPreviews = 4

    /// - Parameter url: The webhook URL from Discord; may have `thread_id` in its query.
    init(url: String) {
        guard var components = URLComponents(string: url) else {
            self.url = url
            return
        }
        // `wait` makes Discord answer after it has stored the message; without it, failures are not reported.
        let others = (components.queryItems ?? []).filter { $0.name != "wait" }
        components.queryItems = others + [URLQueryItem(name: "wait", value: "true")]
        self.url = components.string ?? url
    }

    func body(for message: Message) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("content", MessageText(message).fitted(to: Self.limit).replacingScalars(Self.escape))
            // No mentions: a market named @everyone must not notify anyone.
            json.object("allowed_mentions") { json in json.array("parse", [String]()) { $0.string($1) } }
            json.member("flags", Self.withoutPreviews)
        }
        return json.bytes
    }

    /// Escapes Markdown in names, which would otherwise format, quote, hide or link.
    @Sendable private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\\", "*", "_", "~", "`", "|", ">", "#", "<", "[", "]", "@": "\\\(scalar)"
        default: nil
        }
    }

    private struct Failure: Decodable {
        var message: String?
        var code: Int?
        /// Seconds, with decimals.
        var retryAfter: Double?

        enum CodingKeys: String, CodingKey {
            case message, code
            case retryAfter = "retry_after"
        }
    }

    func diagnose(status: Int, _ body: Data) -> Diagnosis {
        let failure = try? JSONDecoder().decode(Failure.self, from: body)
        let hint: String? =
            switch (failure?.code, status) {
            case (10015, _), (_, 404): "the webhook was removed: make a new one in the channel's settings"
            case (50027, _), (_, 401): "check the URL: its last part is not this webhook's token"
            case (220_001, _): "the channel is a forum: add ?thread_id=… to the URL"
            default: nil
            }
        return Diagnosis(
            cause: failure?.message, hint: hint, retryAfter: Duration(waitSeconds: failure?.retryAfter))
    }
}
