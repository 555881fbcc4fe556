/// The content types a request can read.
public enum AcceptedContent: Sendable, Hashable {
    /// `application/json`, `text/json` and every `application/…+json`.
    case json
    /// Whatever the server calls it, for servers that send JSON as `text/plain`.
    case any

    var acceptHeader: String {
        switch self {
        case .json: "application/json"
        case .any: "application/json, */*;q=0.5"
        }
    }

    /// Judges a `Content-Type`, with or without a charset. A missing one is let through: the body decides.
    func admits(_ contentType: String?) -> Bool {
        guard self == .json, let contentType else { return true }
        let type = MediaType.name(of: contentType)
        return type == "application/json" || type == "text/json"
            || (type.hasPrefix("application/") && type.hasSuffix("+json"))
    }
}

enum MediaType {
    /// `text/html` of `Text/HTML; charset=utf-8`.
    static func name(of contentType: String) -> String {
        let name = contentType.prefix { $0 != ";" && $0 != "," }
        return name.filter { !$0.isWhitespace }.lowercased()
    }
}
