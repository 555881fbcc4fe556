internal import Foundation
internal import NIOHTTP1

extension LoopbackServer {
    /// One request as it came in.
    public struct Request: Sendable, Hashable {
        /// 1 for the first request this server read, on whichever connection.
        public let number: Int
        public let method: String
        /// Path and query as sent: `/api/v3/coins/a%5Bb%5D?days=1`.
        public let target: String
        /// The parts of the path between slashes, percent-decoded.
        public let segments: [String]
        /// Decoded query items; of a repeated name the last counts.
        public let query: [String: String]
        /// By lower-case name; repeated headers are joined with `, `.
        public let headers: [String: String]
        public let body: [UInt8]

        /// The path, percent-decoded, without the query.
        public var path: String { "/" + segments.joined(separator: "/") }

        init(number: Int, head: HTTPRequestHead, body: [UInt8]) {
            self.number = number
            method = head.method.rawValue
            target = head.uri
            let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            segments = parts[0].split(separator: "/").map { String($0).removingPercentEncoding ?? String($0) }
            query = Self.items(of: parts.count > 1 ? parts[1] : "")
            headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
            self.body = body
        }

        private static func items(of query: Substring) -> [String: String] {
            var items: [String: String] = [:]
            for item in query.split(separator: "&") {
                let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                items[decoded(pair[0])] = pair.count > 1 ? decoded(pair[1]) : ""
            }
            return items
        }

        /// As forms are decoded: a plus is a blank.
        private static func decoded(_ text: Substring) -> String {
            let blanks = String(text.replacing("+", with: " "))
            return blanks.removingPercentEncoding ?? blanks
        }
    }
}
