import Foundation
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// What the status file shows where several have something to report.
@Suite struct PublishingTests {
    private func scene() throws -> DaemonScene {
        try DaemonScene(
            "watch: {markets: [bitcoin]}",
            script: [try MarketID("bitcoin"): ["70000"].compactMap { Price(parsing: $0) }])
    }

    @Test("after the stop nothing else is reported")
    func stopped() async throws {
        let scene = try scene()
        try await scene.start()
        await scene.poll()
        let daemon = try #require(scene.daemon)
        daemon.stop()
        _ = await daemon.run()
        #expect(try scene.status().state == .stopped)
        let last = scene.statusText
        // What still reaches it is not taken in.
        daemon.reload()
        daemon.stop()
        await daemon.drain()
        #expect(scene.statusText == last)
    }

    @Test("once another configuration is in force, nothing is reported of the one before")
    func reloaded() async throws {
        let scene = try scene()
        func markets() throws -> [String] { try scene.status().markets.map(\.market.text) }
        try await scene.start()
        await scene.poll()
        #expect(try markets() == ["bitcoin"])
        try await scene.reload("watch: {markets: [ethereum]}")
        #expect(try markets() == ["ethereum"])
        await scene.poll()
        #expect(try markets() == ["ethereum"])
        await scene.stop()
    }

    @Test("the answer to a poll that began under the configuration before is taken in by that one")
    func reloadedMeanwhile() async throws {
        let server = HangingTransport()
        let scene = try scene()
        scene.transport = server
        try await scene.start()
        let daemon = try #require(scene.daemon)
        await daemon.take(.woke)
        await server.waitUntilAsked()
        try scene.write("watch: {markets: [ethereum]}")
        await daemon.hangUp()
        #expect(await daemon.engine.status(at: scene.time.moment).markets.map(\.market.text) == ["bitcoin"])
        server.breakConnections()
        await daemon.drain()
        #expect(try scene.status().markets.map(\.market.text) == ["ethereum"])
        await scene.stop()
    }
}
