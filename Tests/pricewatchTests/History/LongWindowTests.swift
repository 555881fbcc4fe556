import Foundation
import GRDB
import History
import Markets
import Testing

@testable import Engine
@testable import pricewatch

@Suite struct LongWindowTests {
    @Test("a window that reaches beyond the samples is answered from the hourly candles")
    func candles() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path + "/history.db"
        let writer = try HistoryWriter(at: database)
        let start = Date(timeIntervalSince1970: 1_795_255_200)
        let bitcoin = try MarketID("bitcoin")
        for step in 0...(10 * 144) {
            let at = start + .minutes(step * 10)
            let price = try #require(Price(parsing: "\(1000 + step)"))
            let sample = Sample(market: bitcoin, symbol: "btc", name: "Bitcoin", price: price, quotedAt: at)
            try writer.record(
                PollRecord(at: at, fetchedAt: at, feed: "test", currency: .usd, outcome: .ok, samples: [sample]))
        }
        let now = start + .hours(240)
        _ = try await writer.prune(to: Retention(samples: .hours(48)), now: now)
        try writer.close()
        let host = HostEnvironment(variables: ["STATE_DIRECTORY": folder.path], home: folder.path, isRoot: false)
        var configuration = Configuration(folders: DefaultFolders(host, usesSystemFile: false))
        configuration.watch.markets = [Configuration.Market(id: bitcoin)]
        configuration.watch.top = 0
        configuration.poll.every = .minutes(10)
        let summary = try MarketReport(
            recordedIn: HistoryReader(at: database), configuration, window: Window(parsing: "7d"), now: now
        ).summary
        #expect(summary.up == 1)
        // From 1432 to 2440; the hour's edges are the hour's first and last price.
        #expect(summary.gainers.first?.change == Percent(hundredths: 7039))
        #expect(summary.coverage.hundredths >= 9900)
    }
}
