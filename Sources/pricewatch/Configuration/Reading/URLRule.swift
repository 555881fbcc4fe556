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
        guard text.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0.value != 0x7F }),
            let components = URLComponents(string: text), let scheme = components.scheme?.lowercased()
        else { return "must have a form such as https://example.org/path" }
        guard scheme == "https" || scheme == "http" else {
            return "must begin with https:// (or http:// to this machine)"
        }
        guard let host = components.host, !host.isEmpty else { return "names no host" }
        guard components.user == nil, components.password == nil else {
            return "must not hold a user name or password"
        }
        guard components.fragment == nil else { return "must not hold a fragment (#…)" }
        if let port = components.port, !(1...65_535).contains(port) { return "must have a port from 1 to 65535" }
        guard scheme == "https" || allowHTTP || isThisMachine(host) else {
            return "is plain http to another machine: use https, or set allow_http: true beside it"
        }
        return nil
    }

    /// `localhost`, 127.0.0.0/8 and ::1, as they are written; no name is resolved.
    private static func isThisMachine(_ host: String) -> Bool {
        if ["localhost", "[::1]", "::1"].contains(host.lowercased()) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
