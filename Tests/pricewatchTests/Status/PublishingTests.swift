import Foundation
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// What the status file shows where several have something to report.
@Suite struct PublishingTests {
    private func status(_ scene: CycleScene) throws -> StatusDocument {
        try StatusDocument(parsing: Data(scene.status.utf8))
    }

    private func scene(_ rules: String = "watch: {markets: [bitcoin]}") async throws -> CycleScene {
        try await CycleScene(rules, script: [try MarketID("bitcoin"): ["70000"].compactMap { Price(parsing: $0) }])
    }

    @Test("after the stop nothing else is reported")
    func stopped() async throws {
        let scene = try await scene()
        try await scene.start()
        await scene.poll()
        await scene.cycle?.end()
        #expect(try status(scene).state == "stopped")
        await scene.cycle?.showChange()
        #expect(try status(scene).state == "stopped")
        await scene.finish()
    }

    @Test("once another configuration is in force, nothing is reported of the one before")
    func reloaded() async throws {
        let files = try ConfigurationScene()
        func reading(_ market: String) throws -> ConfigurationReading {
            try files.reading(
                """
                watch: {markets: [\(market)]}
                feeds: [{provider: coingecko, url: "http://127.0.0.1:9"}]
                history: {database: \(files.folder)/history.db}
                log: {file: null}
                status_file: \(files.folder)/status.json
                """)
        }
        func markets() throws -> [String]? {
            try StatusDocument(
                parsing: Data(contentsOf: URL(fileURLWithPath: files.folder + "/status.json"))
            ).markets?.map(\.market)
        }
        let first = try await Assembly(
            try reading("bitcoin"),
            .init(environment: [:], host: "box", now: { Told.now }, outlet: nil, staysAlive: true))
        await first.cycle.showChange()
        #expect(try markets() == ["bitcoin"])
        let second = try await Assembly(try reading("ethereum"), succeeding: first)
        await second.cycle.showChange()
        await first.cycle.showChange()
        #expect(try markets() == ["ethereum"])
        await second.cycle.close()
        await second.finish()
    }
}
