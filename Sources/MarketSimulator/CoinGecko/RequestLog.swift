public import Foundation
internal import Synchronization

/// A request that the simulator saw.
public struct SeenRequest: Sendable, Hashable {
    /// By the simulated clock.
    public let at: Date
    public let request: LoopbackServer.Request
    /// What it met with.
    public let fault: Fault
}

/// The requests that came in: their count, and the newest of them.
final class RequestLog: Sendable {
    private static let kept = 10_000

    private struct State {
        var count = 0
        var newest: [SeenRequest] = []
        var watchers: [AsyncStream<Int>.Continuation] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.count) }

    var newest: [SeenRequest] { state.withLock { Array($0.newest.suffix(Self.kept)) } }

    func append(_ seen: SeenRequest) {
        state.withLock { state in
            state.count += 1
            state.newest.append(seen)
            // Cut seldom, so that cutting costs nothing per request.
            if state.newest.count >= 2 * Self.kept { state.newest.removeFirst(Self.kept) }
            state.watchers.removeAll { watcher in
                if case .terminated = watcher.yield(state.count) { true } else { false }
            }
        }
    }

    func waitUntilSeen(_ count: Int) async {
        let (counts, watcher) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            watcher.yield(state.count)
            state.watchers.append(watcher)
        }
        defer { watcher.finish() }
        for await seen in counts where seen >= count { return }
    }
}
