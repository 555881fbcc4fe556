import Synchronization

/// Counts the requests that one poll sends.
final class RequestTally: Sendable {
    private let count = Mutex(0)

    var requests: Int { count.withLock { $0 } }

    func add() { count.withLock { $0 += 1 } }
}
