import Foundation
import Markets

/// An answer that states success or failure in its body, whatever the HTTP status.
package enum Envelope<Value: Sendable>: Sendable {
    case success(Value)
    case failure(EnvelopeFailure)
    /// Neither a value nor a failure; with the first bytes, quoted. Never treated as an empty success.
    case unknown(String)

    /// Looks for a failure in every form that providers are known to use, then reads the value with `read`, which
    /// returns nil if the body does not hold it.
    package init(_ body: Data, value read: (Data) -> Value?) {
        if let failure = EnvelopeFailure(body) {
            self = .failure(failure)
        } else if let value = read(body) {
            self = .success(value)
        } else {
            self = .unknown(SafeText.quoted(body))
        }
    }
}

/// A failure stated in a body.
///
/// The forms: `{"status":{"error_code":429,"error_message":"…"}}`, the same below `error`, the code beside
/// `status`, `{"error":"…"}`, `{"error":["…"]}`, `{"status":500,"error":"…"}`, `{"code":-1121,"msg":"…"}`, and the
/// plain text `error code: 1015`.
package struct EnvelopeFailure: Hashable, Sendable {
    /// Nil if the body has none.
    package var code: Int?
    /// As received: not yet escaped or bounded.
    package var message: String

    package init(code: Int?, message: String) {
        self.code = code
        self.message = message
    }

    /// Bodies with an error are short; a longer one is data.
    private static let longest = 64 << 10

    /// Nil if the body states no failure.
    package init?(_ body: Data) {
        guard body.count <= Self.longest, let first = body.first(where: { !$0.isJSONBlank }) else { return nil }
        if first == UInt8(ascii: "{") {
            guard let form = try? JSONDecoder().decode(ErrorForm.self, from: body), let failure = form.failure else {
                return nil
            }
            self = failure
        } else {
            self.init(plainText: String(decoding: body.prefix(200), as: UTF8.self))
        }
    }

    /// Cloudflare's plain text error: `error code: 1015`.
    private init?(plainText text: String) {
        let words = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard words.hasPrefix("error code:"), let code = Int(words.dropFirst(11).drop { $0 == " " }) else { return nil }
        self.init(code: code, message: words)
    }
}

/// Every known place of a code and a message. All fields are optional and of any type, since a coin may be called
/// `status` or `error`, too.
private struct ErrorForm: Decodable {
    private var status: Part?
    private var error: Part?
    private var errorCode: Int?
    private var code: Int?
    private var message: String?
    private var hasData: Bool

    private enum CodingKeys: String, CodingKey {
        case status, error, code, message, msg, data, result
        case errorCode = "error_code"
        case errorMessage = "error_message"
    }

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        status = try? keys.decode(Part.self, forKey: .status)
        error = try? keys.decode(Part.self, forKey: .error)
        errorCode = (try? keys.decode(Part.self, forKey: .errorCode))?.number
        code = (try? keys.decode(Part.self, forKey: .code))?.number
        message =
            (try? keys.decode(String.self, forKey: .errorMessage))
            ?? (try? keys.decode(String.self, forKey: .message)) ?? (try? keys.decode(String.self, forKey: .msg))
        hasData = keys.contains(.data) || keys.contains(.result)
    }

    var failure: EnvelopeFailure? {
        let named = [errorCode, error?.form?.statedCode, status?.form?.statedCode].compactMap { $0 }.first { $0 != 0 }
        // CoinMarketCap sends "SUCCESS" beside a code of 0.
        let statusMessage = status?.form.flatMap { $0.statedCode == 0 ? nil : $0.statedMessage }
        let text = error?.text ?? error?.form?.statedMessage ?? statusMessage
        if let named { return EnvelopeFailure(code: named, message: text ?? message ?? "error \(named)") }
        if let text, !text.isEmpty { return EnvelopeFailure(code: status?.number ?? code, message: text) }
        let number = code ?? status?.number.flatMap { $0 >= 400 ? $0 : nil }
        if let message, !hasData, let number, number != 0, number != 200 {
            return EnvelopeFailure(code: number, message: message)
        }
        return nil
    }

    /// The contents of `status` or `error`, one or two levels down.
    private var statedCode: Int? { errorCode ?? status?.form?.errorCode ?? code }
    private var statedMessage: String? { message ?? status?.form?.message }

    /// A number, a text, a list of texts, or an object.
    private final class Part: Decodable {
        let number: Int?
        let text: String?
        let form: ErrorForm?

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            let word = try? value.decode(String.self)
            number = (try? value.decode(Int.self)) ?? word.flatMap { Int($0) }
            text = word ?? (try? value.decode([String].self))?.joined(separator: "; ")
            form = number == nil && text == nil ? try? ErrorForm(from: decoder) : nil
        }
    }
}
