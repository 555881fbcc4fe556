import Foundation
import NIOHTTP1

/// Access to the network; replaced in tests.
package protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole answer within `timeout`. Redirects are not followed.
    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer
}

package enum RequestMethod: String, Sendable {
    case get = "GET"
    case post = "POST"
}

/// A request as sent.
package struct WireRequest: Sendable {
    package var method: RequestMethod
    package var url: String
    package var headers: HTTPFields
    package var body: Data?
    /// The maximum size of the decompressed answer's body in bytes.
    package var bodyLimit: Int

    package init(method: RequestMethod, url: String, headers: HTTPFields, body: Data?, bodyLimit: Int) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.bodyLimit = bodyLimit
    }
}

/// An answer with at least a complete head.
package struct HTTPAnswer: Sendable {
    package var status: Int
    package var headers: HTTPFields
    /// Decompressed.
    package var body: Data
    /// Why the body is incomplete; nil if it is complete. An error status is still valid then.
    package var cut: TransportFault?

    package init(status: Int, headers: HTTPFields, body: Data, cut: TransportFault? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.cut = cut
    }

    /// `404 Not Found`; the number alone for an unknown one.
    package var statusText: String {
        let reason = HTTPResponseStatus(statusCode: status).reasonPhrase
        return reason.isEmpty ? "\(status)" : "\(status) \(reason)"
    }
}

/// Why there is no complete answer. Texts come from the system and are for people.
package enum TransportFault: Error, Hashable, Sendable {
    case dns(String)
    case connect(String)
    case tls(String)
    case timeout(Duration)
    /// The connection broke, or the data was not HTTP.
    case transport(String)
    case tooLarge(limit: Int)
    /// The caller's task was cancelled.
    case cancelled
}
