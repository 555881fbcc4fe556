import Foundation

/// A failure stated in a body, whatever the HTTP status.
///
/// The forms: `{"status":{"error_code":429,"error_message":"…"}}`, the same below `error`, the code beside
/// `status`, `{"error":"…"}`, `{"error":["…"]}`, `{"status":500,"error":"…"}`, `{"code":-1121,"msg":"…"}`, and the
/// plain text `error code: 1015`.
struct EnvelopeFailure: Hashable {
    /// Nil if the body has none.
    var code: Int?
    /// As received: not yet escaped or bounded.
    var message: String
}

extension EnvelopeFailure {
    /// Bodies with an error are short; a longer one is data.
    private static let longest = 64 << 10

    /// Nil if the body states no failure.
    init?(_ body: Data) {
        guard body.count <= Self.longest, let first = body.first(where: { !$0.isJSONBlank }) else { return nil }
        if first == UInt8(ascii: "{") {
            guard let root = try? JSONDocument(body).root else { return nil }
            self.init(root)
        } else {
            self.init(plainText: String(decoding: body.prefix(200), as: UTF8.self))
        }
    }

    /// All fields are optional and of any type, since a coin may be called `status` or `error`, too.
    private init?(_ root: JSONValue) {
        let (status, error, code) = (root["status"], root["error"], root["code"]?.code)
        // CoinMarketCap sends "SUCCESS" beside a code of 0.
        let statusMessage = status?.statedCode == 0 ? nil : status?.statedMessage
        let text = error?.wholeText ?? error?.statedMessage ?? statusMessage
        let codes = [root["error_code"]?.code, error?.statedCode, status?.statedCode]
        if let named = codes.compactMap({ $0 }).first(where: { $0 != 0 }) {
            self.init(code: named, message: text ?? root.message ?? "error \(named)")
        } else if let text, !text.isEmpty {
            self.init(code: status?.code ?? code, message: text)
        } else if let message = root.message, root["data"] == nil, root["result"] == nil,
            let number = code ?? status?.code.flatMap({ $0 >= 400 ? $0 : nil }), number != 0, number != 200
        {
            self.init(code: number, message: message)
        } else {
            return nil
        }
    }

    /// Cloudflare's plain text error: `error code: 1015`.
    private init?(plainText text: String) {
        let words = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard words.hasPrefix("error code:"), let code = Int(words.dropFirst(11).drop { $0 == " " }) else { return nil }
        self.init(code: code, message: words)
    }
}

extension JSONValue {
    /// A whole number, also in a text.
    fileprivate var code: Int? { figure?.integer.map { Int($0) } }

    /// A text, or a list of texts.
    fileprivate var wholeText: String? { text ?? items?.compactMap(\.text).joined(separator: "; ") }

    /// In an object.
    fileprivate var message: String? {
        self["error_message"]?.text ?? self["message"]?.text ?? self["msg"]?.text
    }

    /// The contents of `status` or `error`, one or two levels down.
    fileprivate var statedCode: Int? {
        self["error_code"]?.code ?? self["status"]?["error_code"]?.code ?? self["code"]?.code
    }
    fileprivate var statedMessage: String? { message ?? self["status"]?.message }
}
