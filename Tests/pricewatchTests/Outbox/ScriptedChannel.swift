import Engine
import Foundation
import Markets
import Synchronization

@testable import Channels
@testable import pricewatch

/// A channel that answers as it is told, and keeps what it was sent.
final class ScriptedChannel: Channel {
    enum Answer: Sendable {
        case ok
        case fail(retryAfter: Duration? = nil)
        case refuse
        /// Until the delivery is cancelled.
        case hang
    }

    let name: String
    private let state: Mutex<State>

    private struct State {
        var answers: [Answer]
        var attempts: [Message] = []
        var delivered: [Message] = []
        var running = 0
        var mostAtOnce = 0
    }

    /// - Parameter answers: One for each attempt; afterwards everything is delivered.
    init(_ name: String, _ answers: [Answer] = []) {
        self.name = name
        state = Mutex(State(answers: answers))
    }

    var attempts: [Message] { state.withLock(\.attempts) }
    var delivered: [Message] { state.withLock(\.delivered) }
    /// Of all deliveries so far.
    var mostAtOnce: Int { state.withLock(\.mostAtOnce) }

    func answer(_ answers: [Answer]) { state.withLock { $0.answers = answers } }

    func deliver(_ message: Message) async throws(DeliveryError) -> String {
        let answer = state.withLock { state in
            state.attempts.append(message)
            state.running += 1
            state.mostAtOnce = max(state.mostAtOnce, state.running)
            return state.answers.isEmpty ? Answer.ok : state.answers.removeFirst()
        }
        // Others have their turn meanwhile.
        await Task.yield()
        defer { state.withLock { $0.running -= 1 } }
        switch answer {
        case .ok:
            state.withLock { $0.delivered.append(message) }
            return "ok"
        case .fail(let wait):
            throw DeliveryError(description: "send to \(name): it is down", isPermanent: false, retryAfter: wait)
        case .refuse: throw DeliveryError(description: "send to \(name): 404", isPermanent: true)
        case .hang:
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in stream {}
            continuation.finish()
            throw DeliveryError(description: "send to \(name): cancelled", isPermanent: false)
        }
    }
}
