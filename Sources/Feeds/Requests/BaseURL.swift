import Foundation
import Markets

/// The base URL of a provider: https, or plain http if allowed.
package struct BaseURL: Sendable {
    package let text: String
    /// Scheme, host and port.
    let origin: String
    private let path: String
    private let query: String

    /// Throws with a reason that completes "the url …": no absolute URL with a host, another scheme than http and
    /// https, credentials or a fragment in it, or plain http to another machine without `allowHTTP`.
    package init(_ text: String, allowHTTP: Bool = false) throws(InvalidName) {
        guard text.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0.value != 0x7F }),
            var components = URLComponents(string: text), let scheme = components.scheme?.lowercased()
        else { throw InvalidName(reason: "must have a form such as https://example.org/path") }
        guard scheme == "https" || scheme == "http" else {
            throw InvalidName(reason: "must begin with https:// (or http:// to this machine)")
        }
        guard let host = components.host, !host.isEmpty else { throw InvalidName(reason: "names no host") }
        guard components.user == nil, components.password == nil else {
            throw InvalidName(reason: "must not hold a user name or password")
        }
        guard components.fragment == nil else { throw InvalidName(reason: "must not hold a fragment (#…)") }
        if let port = components.port, !(1...65_535).contains(port) {
            throw InvalidName(reason: "must have a port from 1 to 65535")
        }
        guard scheme == "https" || allowHTTP || Self.isLoopback(host) else {
            throw InvalidName(
                reason: "is plain http to another machine: use https, or set allow_http: true beside it")
        }
        while components.percentEncodedPath.hasSuffix("/") { components.percentEncodedPath.removeLast() }
        self.text = components.string ?? text
        path = components.percentEncodedPath
        query = components.percentEncodedQuery ?? ""
        components.percentEncodedPath = ""
        components.percentEncodedQuery = nil
        origin = components.string ?? text
    }

    /// The URL of a request below this base.
    func url(path: String, query: RequestQuery) -> String {
        let queries = [self.query, query.encoded].filter { !$0.isEmpty }
        return place(of: path) + (queries.isEmpty ? "" : "?" + queries.joined(separator: "&"))
    }

    /// Scheme, host and path, for messages. Queries may hold keys.
    func place(of path: String) -> String { origin + self.path + path }

    /// `localhost`, 127.0.0.0/8 and ::1, by name; does not resolve.
    private static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if ["localhost", "[::1]", "::1"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// Names and values of a query, in the order in which they are sent.
package typealias RequestQuery = KeyValuePairs<String, String>

extension RequestQuery {
    /// Encodes `+` as well: `URLComponents` leaves it, and servers read it as a space.
    var encoded: String {
        var components = URLComponents()
        components.queryItems = map { URLQueryItem(name: $0.key, value: $0.value) }
        return (components.percentEncodedQuery ?? "").replacingOccurrences(of: "+", with: "%2B")
    }
}

extension String {
    /// This text as one segment of a path: an id with a slash stays one segment, and one of dots does not leave the
    /// path.
    var pathSegment: String {
        if !isEmpty, allSatisfy({ $0 == "." }) { return String(repeating: "%2E", count: count) }
        return percentEncoded
    }
}
