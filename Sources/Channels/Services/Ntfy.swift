import Engine
import Foundation
import Markets

/// ntfy, at ntfy.sh or self-hosted (docs.ntfy.sh/publish/#publish-as-json).
///
/// A message is published as JSON to the server's root, with the topic in the body: ntfy also takes headers, but line
/// breaks and emoji would have to be encoded there.
struct Ntfy: HTTPService {
    static let kind = "ntfy"
    let url: String
    let secrets: [String]
    let headers: [(name: String, value: String)]
    private let topic: String

    /// ntfy turns a message above 4096 bytes into an attachment, and accepts twice that as JSON.
    private static let limit = TextLimit(units: 3800) { scalar in
        max(String(scalar).utf8.count, (JSONString.quoted(String(scalar)).utf8.count - 1) / 2)
    }

    /// - Parameters:
    ///   - url: The topic's URL, such as `https://ntfy.sh/my-topic`.
    ///   - token: nil if the topic is open.
    init(url: String, token: String?) {
        var components = URLComponents(string: url)
        var parts = (components?.percentEncodedPath ?? "").split(separator: "/").map(String.init)
        let last = parts.popLast() ?? ""
        topic = last.removingPercentEncoding ?? last
        components?.percentEncodedPath = parts.isEmpty ? "/" : "/" + parts.joined(separator: "/") + "/"
        self.url = components?.string ?? url
        headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        secrets = [url, topic] + (token.map { [$0] } ?? [])
    }

    func body(for message: Message) -> [UInt8] {
        let text = MessageText(message)
        let severity = message.severity
        var json = JSONWriter()
        json.object { json in
            json.member("topic", topic)
            json.member("title", text.headline)
            json.member("message", text.fittedLines(to: Self.limit, after: nil).joined(separator: "\n"))
            json.member("priority", severity.ntfyPriority)
            json.array("tags", [message.isAllResolved ? "white_check_mark" : severity.ntfyTag]) { $0.string($1) }
        }
        return json.bytes
    }

    private struct Failure: Decodable {
        var error: String?
    }

    func diagnose(status: Int, _ body: Data) -> Diagnosis {
        let failure = try? JSONDecoder().decode(Failure.self, from: body)
        let hint: String? =
            switch status {
            case 400, 404, 405: "check the URL: a server and one topic, such as https://ntfy.sh/my-topic"
            case 401: "check the token"
            case 403: "the topic is protected: give a token that may write to it"
            default: nil
            }
        return Diagnosis(cause: failure?.error, hint: hint)
    }
}

extension AlertRule.Severity {
    /// From 1 to 5; 3 is ntfy's default.
    fileprivate var ntfyPriority: Int {
        switch self {
        case .info: 3
        case .warning: 4
        case .critical: 5
        }
    }

    /// A short code that ntfy shows as an emoji before the title.
    fileprivate var ntfyTag: String {
        switch self {
        case .info: "information_source"
        case .warning: "warning"
        case .critical: "rotating_light"
        }
    }
}

extension Message {
    fileprivate var isAllResolved: Bool {
        if case .events(let events) = content { events.allSatisfy { $0.kind == .resolved } } else { false }
    }
}
