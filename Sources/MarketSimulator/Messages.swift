import Foundation
import NIOCore
import NIOHTTP1

extension LoopbackServer {
    /// One request as it came in.
    package struct Request: Sendable, Hashable {
        package let method: String
        /// Path and query as sent: `/api/v3/coins/a%5Bb%5D?days=1`.
        package let target: String
        /// The parts of the path between slashes, percent-decoded.
        package let segments: [String]
        /// Decoded query items; of a repeated name the last counts.
        package let query: [String: String]
        /// By lower-case name; repeated headers are joined with `, `.
        package let headers: [String: String]
        package let body: [UInt8]

        /// The path, percent-decoded, without the query.
        package var path: String { "/" + segments.joined(separator: "/") }

        init(_ request: NIOHTTPServerRequestFull) {
            self.init(
                method: request.head.method.rawValue, target: request.head.uri,
                headers: request.head.headers.map { ($0.name, $0.value) },
                body: request.body.map { Array($0.readableBytesView) } ?? [])
        }

        package init(method: String, target: String, headers: [(String, String)], body: [UInt8] = []) {
            self.method = method
            self.target = target
            self.body = body
            var components = URLComponents(string: target) ?? URLComponents()
            segments = components.percentEncodedPath.split(separator: "/").map {
                String($0).removingPercentEncoding ?? String($0)
            }
            // A plus is a blank, as in forms.
            components.percentEncodedQuery = components.percentEncodedQuery?.replacing("+", with: "%20")
            query = Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
            self.headers = Dictionary(headers.map { ($0.0.lowercased(), $0.1) }) { "\($0), \($1)" }
        }
    }

    /// The reply to a request.
    package struct Reply: Sendable, Hashable {
        /// 200 to 599. 204 and 304 are sent without their body.
        package var status: Int
        package var headers: [String: String]
        package var body: [UInt8]
        package var transfer: Transfer

        /// How a reply goes over the wire.
        package enum Transfer: Sendable, Hashable {
            case whole
            /// The head at once, then one byte after each interval.
            case drip(every: Duration)
            /// `Content-Length` promises the whole body, half of it comes, then the connection closes.
            case half
            /// This many blanks in place of the body, as fast as the client reads them; chunked unless declared.
            case blanks(Int, declaresLength: Bool)
            /// The connection ends with a TCP reset.
            case reset
            /// No reply comes until the client leaves or the server stops.
            case hang
        }

        package init(
            status: Int = 200, headers: [String: String] = [:], text: String = "", transfer: Transfer = .whole
        ) {
            self.status = status
            self.headers = headers
            body = Array(text.utf8)
            self.transfer = transfer
        }

        package static let reset = Reply(transfer: .reset)
        package static let hang = Reply(transfer: .hang)

        /// A reply of `application/json; charset=utf-8`; `headers` take precedence.
        package static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> Reply {
            let type = ["Content-Type": "application/json; charset=utf-8"]
            return Reply(status: status, headers: headers.merging(type) { given, _ in given }, text: text)
        }
    }
}
