import Foundation
import Markets

/// Takes secrets out of a text that somebody else wrote: a server quotes what it was sent, the system names the host
/// it did not find. To be applied before a text is cut: half a secret would be found no more.
public struct Redaction: Sendable {
    /// The longest first, so that no part is left of a longer one.
    private let secrets: [String]

    /// Of a body, so much is looked through; of a longer one only the beginning is ever quoted.
    private static let longest = 64 << 10
    private static let quoted = 1 << 10

    /// - Parameters:
    ///   - secrets: keys, tokens. Those of fewer than four bytes would be found everywhere, and stay.
    ///   - url: a secret but for its scheme and host; placeholders such as `{id}` may stand in it.
    ///   - hidesHost: whether its host is secret, too.
    public init(_ secrets: some Sequence<String>, url: String? = nil, hidesHost: Bool = false) {
        var found = Set(secrets)
        if let url { found.formUnion(Self.parts(of: url, hidesHost: hidesHost)) }
        found.formUnion(found.compactMap(\.removingPercentEncoding))
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) })
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) })
        found.formUnion(found.map { $0.replacingBytes(of: ["/"], with: "\\/") })
        self.secrets = found.filter { $0.utf8.count >= 4 }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    /// What a request of a feed says of itself. A header's value may hold a secret beside a word such as `Bearer`.
    init(key: Secret?, headers: [(name: String, value: String)], url: String?) {
        let words = headers.flatMap { [$0.value] + $0.value.split(separator: " ").map(String.init) }
        self.init([key?.revealed].compactMap { $0 } + words.filter { $0.utf8.count >= 8 }, url: url)
    }

    /// The URL in all the parts in which it may be quoted. Single words of its path and query count only where they are
    /// too long to be words such as `services` or `currency`.
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

    public func apply(to text: String) -> String {
        text.replacingBytes(of: secrets, with: "***", ignoringCase: true)
    }

    /// A body for whoever looks in it for what to quote.
    func apply(to body: Data) -> Data {
        let beginning = String(
            decoding: body.count <= Self.longest ? body : body.prefix(Self.quoted), as: UTF8.self)
        let redacted = apply(to: beginning)
        return redacted == beginning ? body : Data(redacted.utf8)
    }
}
