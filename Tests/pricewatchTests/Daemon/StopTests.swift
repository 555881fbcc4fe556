import Foundation
import MarketSimulator
import Markets
import ServiceLifecycleTestKit
import Synchronization
import Testing

@testable import pricewatch

/// A provider that never answers, and a daemon that is told to stop while it begins to ask.
@Suite struct StopTests {
    /// - Parameter step: The stop comes when the daemon asks for the time so many times since its start: at different
    ///   places before and at the beginning of its first poll; 0: before it starts.
    @Test("wherever the stop falls, a poll goes on for five seconds at most", arguments: 0...7)
    func stops(step: Int) async throws {
        let simulator = try await CoinGeckoSimulator.start(faults: [.hang])
        let files = try ConfigurationScene()
        let reading = try files.reading(
            """
            watch: {markets: [bitcoin]}
            feeds: [{provider: coingecko, url: "\(simulator.baseURL)"}]
            poll: {every: 1m, timeout: 1m}
            history: {database: \(files.folder)/history.db, backfill: null}
            log: {file: null}
            status_file: \(files.folder)/status.json
            """)
        let looks = Looks()
        let assembly = try await Assembly(
            reading,
            .init(environment: [:], host: "box", now: { looks.now() }, outlet: nil, staysAlive: true))
        let daemon = Daemon(assembly)
        let took = await testGracefulShutdown { trigger in
            // Where the daemon asks for the time less often, the stop comes with the request.
            let request = Task {
                await simulator.waitUntilSeen(1)
                trigger.triggerGracefulShutdown()
            }
            defer { request.cancel() }
            if step == 0 { trigger.triggerGracefulShutdown() }
            looks.call(after: step) { trigger.triggerGracefulShutdown() }
            let clock = ContinuousClock.now
            await daemon.run()
            return ContinuousClock.now - clock
        }
        #expect(took < .seconds(15))
        if step == 0 { #expect(simulator.requestCount == 0, "no poll begins after the stop") }
        let status = try StatusDocument(
            parsing: Data(contentsOf: URL(fileURLWithPath: files.folder + "/status.json")))
        #expect(status.state == "stopped")
        await assembly.finish()
        await simulator.stop()
    }

    /// The system's time, and something that happens when it is asked for.
    private final class Looks: Sendable {
        private let state = Mutex<(left: Int, act: (@Sendable () -> Void)?)>((0, nil))

        func call(after count: Int, _ act: @escaping @Sendable () -> Void) { state.withLock { $0 = (count, act) } }

        func now() -> Date {
            let act = state.withLock { state -> (@Sendable () -> Void)? in
                state.left -= 1
                return state.left == 0 ? state.act : nil
            }
            act?()
            return Date()
        }
    }
}
