import Foundation
import Markets
import ServiceLifecycle
import Synchronization

/// The service: a cycle at every tick, until it is told to stop.
struct Daemon: Service {
    let cycle: Cycle
    let ticks: Ticks
    /// Whether the first cycle comes before the first tick.
    let startsAtOnce: Bool
    /// How long a running cycle may go on after the stop.
    static let patience = Duration.seconds(3)

    init(_ assembly: Assembly) {
        cycle = assembly.cycle
        let delay = cycle.firstDelay
        startsAtOnce = delay == .zero
        ticks = Ticks(every: assembly.settings.every, after: startsAtOnce ? assembly.settings.every : delay)
    }

    func run() async {
        await cycle.begin()
        let running = RunningTurn()
        await withGracefulShutdownHandler {
            var beats = ticks.stream.makeAsyncIterator()
            guard startsAtOnce ? true : await beats.next() != nil else { return }
            await turn(running)
            ProgramPages.giveBack()
            while await beats.next() != nil { await turn(running) }
        } onGracefulShutdown: {
            ticks.stop()
            running.cancel(after: Self.patience)
        }
        await cycle.end()
    }

    private func turn(_ running: RunningTurn) async {
        await running.perform { _ = await cycle.turn() }
        ticks.change(to: await cycle.interval)
    }
}

/// The cycle that runs now, within reach of whoever wants it to end.
private final class RunningTurn: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func perform(_ turn: @escaping @Sendable () async -> Void) async {
        let running = Task { await turn() }
        task.withLock { $0 = running }
        await running.value
        task.withLock { $0 = nil }
    }

    func cancel(after patience: Duration) {
        guard let running = task.withLock({ $0 }) else { return }
        Task {
            try? await Task.sleep(for: patience)
            running.cancel()
        }
    }
}
