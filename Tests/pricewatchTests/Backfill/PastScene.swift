import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import Engine

/// A simulated provider with a past, and an installation whose daemon has been away.
struct PastScene {
    let simulator: CoinGeckoSimulator
    let installation: Installation
    static let markets = ["bitcoin", "ethereum", "tether"]

    /// - Parameters:
    ///   - feed: further keys of the feed.
    ///   - down: how long ago the daemon stopped; it had polled for an hour before. Nil: it never ran.
    init(
        markets: String = "[bitcoin, ethereum, tether]",
        feed: String = ", plan: pro, key: CG-x, quota_month: 900000000",
        backfill: String = "24h", down: Duration? = .hours(6), faults: [Fault] = []
    ) async throws {
        simulator = try await CoinGeckoSimulator.start(seed: 7, faults: faults)
        installation = try Installation(url: simulator.baseURL, markets: markets, feed: feed, backfill: backfill)
        guard let down else { return }
        let writer = try HistoryWriter(at: installation.database)
        let watched = try Self.markets.map { try MarketID($0) }
        let end = Date() - down
        for minute in stride(from: 60, through: 0, by: -1) {
            let at = Date(milliseconds: (end - .minutes(minute)).milliseconds)
            let samples = try watched.map { market in
                Sample(
                    market: market, symbol: "", name: "", price: try #require(simulator.price(of: market, at: at)),
                    quotedAt: at)
            }
            try writer.record(
                PollRecord(
                    at: at, fetchedAt: at, feed: "coingecko", currency: .usd, outcome: .ok, samples: samples,
                    watched: WatchedMarkets(watched, currencies: .init(.usd))))
        }
        try writer.close()
    }

    var asksForThePast: Int { simulator.requests.count { $0.request.path.contains("market_chart") } }

    func samples(_ market: String) throws -> [RecordedSample] {
        var found: [RecordedSample] = []
        try HistoryReader(at: installation.database).samples(
            of: try MarketID(market), in: .usd, since: nil, until: nil
        ) { found.append($0) }
        return found
    }

    func candles(_ market: String) throws -> [Candle] {
        var found: [Candle] = []
        try HistoryReader(at: installation.database).candles(
            of: try MarketID(market), in: .usd, every: .hours(1), since: nil, until: nil
        ) { found.append($0) }
        return found
    }

    func requestsThisMonth() throws -> Int? {
        let feeds = try installation.status()["feeds"] as? [[String: Any]]
        return feeds?.first?["requests_month"] as? Int
    }
}
