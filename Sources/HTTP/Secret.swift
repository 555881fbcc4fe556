import Foundation
import Markets

/// A key or token. Its description hides it; only `revealed` returns it, for building requests.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let revealed: String
    /// The absolute path of the file that it was read from; nil: it was read from none.
    package let file: String?

    package init(_ text: String, file: String? = nil) {
        revealed = text
        self.file = file
    }

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Removes secrets from texts of others: a server may quote what it was sent, and the system names a host that it did
/// not find. Apply before truncating a text: part of a secret would not be recognised.
package struct Redaction: Sendable {
    /// The longest first, so that no part of a longer one remains.
    private let secrets: [String]

    /// The bytes of a body that are searched; only the beginning of a body is ever quoted.
    private static let longest = 64 << 10
    private static let quoted = 1 << 10

    /// - Parameters:
    ///   - secrets: keys and tokens. Those below four bytes are ignored, since they would match everywhere.
    ///   - url: a secret except for its scheme and host; may hold placeholders such as `{id}`.
    ///   - hidesHost: whether its host is secret, too.
    package init(_ secrets: some Sequence<String>, url: String? = nil, hidesHost: Bool = false) {
        var found = Set(secrets)
        if let url { found.formUnion(Self.parts(of: url, hidesHost: hidesHost)) }
        found.formUnion(found.compactMap(\.removingPercentEncoding))
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) })
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) })
        found.formUnion(found.map { $0.replacingBytes(of: ["/"], with: "\\/") })
        self.secrets = found.filter { $0.utf8.count >= 4 }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    /// The parts of the URL that may be quoted. Single path and query components count only if they are too long to be
    /// words such as `services` or `currency`.
    private static func parts(of url: String, hidesHost: Bool) -> [String] {
        guard let scheme = url.firstRange(of: "://") else { return [url] }
        let rest = url[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let literal = rest[end...].replacing(/\{[a-z]*\}/, with: " ").split(separator: " ")
        let pieces = literal + literal.flatMap { $0.split(separator: "?").flatMap { $0.split(separator: "&") } }
        let values = pieces.filter { $0.contains("/") || ($0.contains("=") && $0.last != "=") }
        let words = pieces.flatMap { $0.split { "/?&=".contains($0) } }.filter { $0.utf8.count > 8 }
        let host = hidesHost ? URLComponents(string: String(url[..<end]))?.host : nil
        return ([url[...]] + values + words).map(String.init) + [host].compactMap { $0 }
    }

    package func apply(to text: String) -> String {
        text.replacingBytes(of: secrets, with: "***", ignoringCase: true)
    }

    /// A body with the secrets removed, for quoting.
    package func apply(to body: Data) -> Data {
        let beginning = String(
            decoding: body.count <= Self.longest ? body : body.prefix(Self.quoted), as: UTF8.self)
        let redacted = apply(to: beginning)
        return redacted == beginning ? body : Data(redacted.utf8)
    }
}
