import Markets
import Synchronization

/// What must not happen at once happens here, one after the other: cycles, and the change of the configuration
/// between them.
final class Turns: Sendable {
    private let state = Mutex(State())

    private struct State {
        var last: Task<Void, Never>?
        var running: [Int: Task<Void, Never>] = [:]
        var count = 0
        var isStopped = false
    }

    private var isStopped: Bool { state.withLock(\.isStopped) }

    /// Performs `body` after all that came before it; not at all after the stop.
    func perform(_ body: @escaping @Sendable () async -> Void) async {
        let (number, task) = state.withLock { state in
            let before = state.last
            let task = Task {
                await before?.value
                if !isStopped { await body() }
            }
            state.last = task
            state.count += 1
            state.running[state.count] = task
            return (state.count, task)
        }
        await task.value
        state.withLock { $0.running[number] = nil }
    }

    /// Performs `body`, and again at once where it is due again by then: a tick for what came due meanwhile might find
    /// nobody waiting yet, and be lost.
    func perform(_ body: @escaping @Sendable () async -> Void, again isDue: () async -> Bool) async {
        repeat { await perform(body) } while await isDue() && !isStopped
    }

    /// Begins nothing more, and cuts off what still runs after `patience`.
    func stop(within patience: Duration) {
        let running = state.withLock { state in
            state.isStopped = true
            return Array(state.running.values)
        }
        guard !running.isEmpty else { return }
        Task {
            try? await Task.sleep(for: patience)
            for task in running { task.cancel() }
        }
    }
}
