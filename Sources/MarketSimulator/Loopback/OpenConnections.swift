internal import Synchronization

/// The connections being served, so that a stop can end them all.
///
/// They are started here and not by iterating over accepted channels: a channel that such a sequence still
/// holds when it is cancelled is never closed, and NIO stops the process for it.
final class OpenConnections: Sendable {
    private struct State {
        var isStopped = false
        var lastID = 0
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Serves the connection on a task of its own; after a stop it is closed at once.
    func serve(_ connection: Connection) {
        state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            state.tasks[id] = Task {
                await connection.serve()
                self.forget(id)
            }
            if state.isStopped { state.tasks[id]?.cancel() }
        }
    }

    /// Begins to end all of them.
    func cancel() {
        state.withLock { state in
            state.isStopped = true
            for task in state.tasks.values { task.cancel() }
        }
    }

    /// Returns when all have ended.
    func wait() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }

    private func forget(_ id: Int) {
        state.withLock { $0.tasks[id] = nil }
    }
}
