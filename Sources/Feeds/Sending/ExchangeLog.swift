import Foundation
import HTTP
import Markets
import Synchronization

/// A successful answer to a request.
struct Loaded<Response: Sendable>: Sendable {
    enum Content: Sendable {
        case fresh(Response, body: Data)
        /// 304: the known answer is still current.
        case notModified
    }

    var content: Content
    var headers: HTTPFields
    /// When the answer was complete.
    var at: Date

    var isUnchanged: Bool {
        if case .notModified = content { return true }
        return false
    }
}

/// The requests of one poll: their number, and the retries in order.
final class ExchangeLog: Sendable {
    private let sent = Mutex((requests: 0, retries: [PollResult.Retry]()))

    var requests: Int { sent.withLock { $0.requests } }
    var retries: [PollResult.Retry] { sent.withLock { $0.retries } }

    func addRequest() { sent.withLock { $0.requests += 1 } }
    func addRetry(_ retry: PollResult.Retry) { sent.withLock { $0.retries.append(retry) } }
}
