import Foundation
import MarketSimulator
import Testing

@testable import Feeds

@Suite("Memory", .serialized)
struct BoundedMemoryTests {
    /// Client, server and the suites beside share this process, and the figure holds them all; alone it grows by
    /// less than 30 MiB. A body that is kept whole would show as 1024.
    @Test(arguments: [
        ("1 GiB", Fault.huge(declaresLength: false)),
        (
            "gzip bomb of 1 GiB",
            .reply(
                .answer(
                    .init(
                        headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"],
                        body: .bytes(GzipBomb.zeros(unpacked: 1 << 30)))))
        ),
    ])
    func staysBounded(_ name: String, _ fault: Fault) async throws {
        var configuration = CoinGeckoSimulator.Configuration()
        configuration.faults = [fault]
        let market = try await CoinGeckoSimulator.start(configuration)
        let network = try NetworkTransport()
        let feed = Feed(
            CoinGecko(plan: .public), try environment(market.baseURL, timeout: .seconds(30)), transport: network,
            memory: TransientMemory())
        try ResidentMemory.resetPeak()
        let before = try ResidentMemory.peak()
        for _ in 0..<5 {
            let report = try await feed.poll(try watch("bitcoin"), within: .seconds(30))
            #expect(report.error?.kind == .tooLarge)
        }
        let grown = try ResidentMemory.peak() - before
        await network.shutdown()
        await market.stop()
        #expect(grown < 100, "grew by \(grown) MiB")
    }
}
