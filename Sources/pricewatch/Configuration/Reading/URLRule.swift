import Feeds
import Foundation

/// Which URLs a key accepts. Objections never contain the URL, which may contain a key.
enum URLRule {
    case plain(allowHTTP: Bool)
    /// May contain `{id}`, `{ids}`, `{currency}` and `{key}`.
    case template(allowHTTP: Bool)

    private static let placeholders = ["id", "ids", "currency", "key"]

    /// Completes "the URL …"; nil: valid.
    func objection(to text: String) -> String? {
        switch self {
        case .plain(let allowHTTP):
            return Self.objection(to: text, allowHTTP: allowHTTP)
        case .template(let allowHTTP):
            var filled = text
            for name in Self.placeholders { filled = filled.replacing("{\(name)}", with: "x") }
            if filled.contains("{") || filled.contains("}") {
                let known = Self.placeholders.map { "{\($0)}" }.joined(separator: ", ")
                return "holds an unknown placeholder; there are \(known)"
            }
            return Self.objection(to: filled, allowHTTP: allowHTTP)
        }
    }

    private static func objection(to text: String, allowHTTP: Bool) -> String? {
        do {
            _ = try BaseURL(text, allowHTTP: allowHTTP)
            return nil
        } catch {
            return error.reason
        }
    }
}
