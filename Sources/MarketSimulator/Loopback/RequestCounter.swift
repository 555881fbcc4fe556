internal import Synchronization

/// Numbers the requests of all connections of one server.
final class RequestCounter: Sendable {
    private let last = Atomic(0)

    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
