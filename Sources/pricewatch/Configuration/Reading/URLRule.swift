import Feeds
import Foundation

/// Which URLs a key takes. Objections never repeat the URL: it may hold a key.
enum URLRule {
    case plain(allowHTTP: Bool)
    /// With `{id}`, `{ids}`, `{currency}` and `{key}` in it.
    case template(allowHTTP: Bool)

    private static let placeholders = ["id", "ids", "currency", "key"]

    /// Completes "the URL …"; nil: nothing is wrong with it.
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
