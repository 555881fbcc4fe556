import Foundation
import HTTP
import Markets
import Synchronization
import TestSupport
import Testing

@testable import pricewatch

@Suite struct HangingProbeTests {
    /// Answers nothing within five seconds.
    private final class Hanging: HTTPTransport {
        private let time: HandClock
        private let count = Mutex(0)

        init(_ time: HandClock) { self.time = time }

        var requests: Int { count.withLock(\.self) }

        func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
            count.withLock { $0 += 1 }
            time.step(.seconds(5))
            throw .timeout(.seconds(5))
        }
    }

    @Test("a feed that serves is asked again where a request hangs; a probe is not, since prices wait for it")
    func once() async throws {
        let time = HandClock()
        let hanging = Hanging(time)
        let scene = try DaemonScene(
            "watch: {markets: [bitcoin]}", script: [:],
            feeds: #", {provider: coingecko, name: spare, url: "http://127.0.0.1:2/api/v3"}"#, time: time,
            polling: "timeout: 5s, retry: {attempts: 3, base: 1ms, cap: 1ms}")
        scene.transport = RoutedTransport(servers: [
            scene.simulator.baseURL: hanging,
            "http://127.0.0.1:2/": SimulatedTransport(scene.simulator),
        ])
        try await scene.start()
        await scene.wake()
        #expect(hanging.requests == 3)
        #expect(try scene.status().lastPoll?.feed == "spare")
        time.step(.minutes(1))
        let before = time.uptime()
        await scene.wake()
        #expect(hanging.requests == 4 && time.uptime() - before == .seconds(5))
        #expect(try scene.status().lastPoll?.feed == "spare")
        await scene.stop()
    }
}
