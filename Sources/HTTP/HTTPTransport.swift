import Foundation
import Markets
import NIOHTTP1

/// Access to the network; replaced in tests.
package protocol HTTPTransport: Sendable {
    /// Sends a request and reads the whole answer within `timeout`. Redirects are not followed.
    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer
}

/// A request as sent: a GET, or with a body a POST.
package struct WireRequest: Sendable {
    package var url: String
    package var headers: HTTPFields
    package var body: Data?
    /// The maximum size of the decompressed answer's body in bytes.
    package var bodyLimit: Int

    package init(url: String, headers: HTTPFields, body: Data? = nil, bodyLimit: Int) {
        self.url = url
        self.headers = headers
        self.body = body
        self.bodyLimit = bodyLimit
    }

    package var method: String { body == nil ? "GET" : "POST" }
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

    package var isSuccess: Bool { (200...299).contains(status) }

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
/// The clock of limits and waits: tests step it by hand.
package protocol TimeSource: Sendable {
    /// The wall clock, for what is stored and compared with the provider's times.
    func now() -> Date
    /// Monotonic time, for limits.
    func uptime() -> Duration
    /// Throws `CancellationError` if the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
package struct SystemTime: TimeSource {
    private let start = ContinuousClock.now

    package init() {}

    package func now() -> Date { Date() }
    package func uptime() -> Duration { ContinuousClock.now - start }
    package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

extension TransportFault {
    /// For people, such as `no connection: connection refused`; holds what the system says, secrets included.
    package var cause: String {
        switch self {
        case .dns(let text): text
        case .connect(let text): "no connection: \(text)"
        case .tls(let text): "no secure connection: \(text)"
        case .timeout(let timeout): "no answer within \(timeout.unitsText)"
        case .transport(let text): text
        case .tooLarge(let limit): "the answer is larger than \(limit) bytes"
        case .cancelled: "stopped before it was answered"
        }
    }
}
