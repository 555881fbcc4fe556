import Foundation
import Markets
import ServiceLifecycle
import Synchronization

/// The service: a cycle at every tick, a new configuration at every SIGHUP, until it is told to stop.
final class Daemon: Service {
    let ticks: Ticks
    private let assembly: Mutex<Assembly>
    private let hangup = Hangup()
    private let turns = Turns()
    private let idlePages = IdlePages()
    /// Whether the first cycle comes before the first tick.
    private let startsAtOnce: Bool
    /// How long a running cycle may go on after the stop.
    static let patience = Duration.seconds(5)

    init(_ assembly: Assembly) {
        self.assembly = Mutex(assembly)
        let delay = assembly.cycle.firstDelay
        startsAtOnce = delay == .zero
        ticks = Ticks(every: assembly.settings.every, after: startsAtOnce ? assembly.settings.every : delay)
    }

    private var cycle: Cycle { assembly.withLock(\.cycle) }

    func run() async {
        let sender = assembly.withLock(\.sender)
        await cycle.begin()
        await sender.tellOfChanges { [weak self] in await self?.cycle.showChange() }
        await sender.begin()
        let reloading = Task { for await _ in hangup.signals { await reload() } }
        await withGracefulShutdownHandler {
            var beats = ticks.stream.makeAsyncIterator()
            guard startsAtOnce ? true : await beats.next() != nil else { return }
            await turn()
            while await beats.next() != nil { await turn() }
        } onGracefulShutdown: { [self] in
            ticks.stop()
            turns.stop(within: Self.patience)
            Task { await sender.stop() }
        }
        reloading.cancel()
        await reloading.value
        await sender.stop()
        await cycle.end()
    }

    private func turn() async {
        await turns.perform { [self] in
            _ = await cycle.turn()
        } again: { [self] in
            await cycle.isDue
        }
        let current = cycle
        await ticks.change(to: current.interval, after: current.untilNext)
        idlePages.giveBack()
    }

    /// A good file is taken in between two cycles, a bad one is told of at once.
    private func reload() async {
        let running = assembly.withLock(\.self)
        running.systemd.reloading()
        defer { running.systemd.reloaded() }
        running.reopenLog()
        let reading: ConfigurationReading
        do {
            reading = try running.readAgain()
        } catch {
            return await reject(error.description, running)
        }
        await turns.perform { [self] in
            do {
                let next = try await Assembly(reading, succeeding: running)
                assembly.withLock { $0 = next }
                await next.cycle.showChange()
                await ticks.change(to: next.cycle.interval, after: next.cycle.untilNext)
            } catch {
                await reject("\(error)", running)
            }
        }
    }

    private func reject(_ fault: String, _ running: Assembly) async {
        running.log.write(.error, "config.rejected") { line in
            line.add("file", running.file?.path)
            line.add("message", fault)
        }
        await running.cycle.reject(fault.replacingBytes(of: ["\n"], with: "; "))
    }
}
