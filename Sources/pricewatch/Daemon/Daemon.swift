import Foundation
import Markets
import ServiceLifecycle
import Synchronization

/// The service: a cycle at every tick, until it is told to stop.
struct Daemon: Service {
    let cycle: Cycle
    let ticks: Ticks
    /// How long a running cycle may go on after the stop.
    static let patience = Duration.seconds(4)

    func run() async {
        await cycle.begin()
        let running = Mutex<Task<Void, Never>?>(nil)
        await withGracefulShutdownHandler {
            for await _ in ticks.stream {
                let turn = Task { _ = await cycle.turn() }
                running.withLock { $0 = turn }
                await turn.value
            }
        } onGracefulShutdown: {
            ticks.stop()
            guard let turn = running.withLock({ $0 }) else { return }
            Task {
                try? await Task.sleep(for: Self.patience)
                turn.cancel()
            }
        }
        await cycle.end()
    }
}
