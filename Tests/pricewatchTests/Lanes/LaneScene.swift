import Engine
import Foundation
import History
import MarketSimulator
import Markets

@testable import pricewatch

/// A daemon that asks CoinGecko for bitcoin each minute and a server of another kind for AAPL every 15 minutes. Time is
/// stepped by hand.
final class LaneScene {
    let scene: CycleScene
    let stocks: CoinGeckoSimulator

    /// - Parameters:
    ///   - prices: of AAPL, answer by answer.
    ///   - feed: further keys of the feed `stocks`.
    ///   - markets: beside AAPL.
    ///   - ahead: by how much the clock of AAPL's server is.
    ///   - every: of CoinGecko, with further keys of it in `coingecko`, each after a comma.
    init(
        _ rules: String = "", prices: [String] = ["190"], feed: String = "every: 15m", markets: String = "bitcoin",
        ahead: Duration = .zero,
        every: Duration = .minutes(1), coingecko: String = ""
    ) async throws {
        let time = HandClock()
        stocks = try await CoinGeckoSimulator.start(
            script: [try MarketID("AAPL"): prices.compactMap { Price(parsing: $0) }], now: { time.now() + ahead })
        scene = try await CycleScene(
            """
            watch: {markets: [\(markets), {id: AAPL, feed: stocks}]}
            \(rules)
            """,
            script: [try MarketID("bitcoin"): [Price(parsing: "70000"), Price(parsing: "70001")].compactMap(\.self)],
            preferred: "provider: coingecko\(coingecko)",
            feeds: """
                , {name: stocks, provider: json, \(feed), url: "\(stocks.baseURL)/coins/markets?vs_currency=usd&ids={ids}",
                   fields: {id: /id, price: /current_price, quoted_at: /last_updated}, currency: usd}
                """, time: time, every: every)
    }

    var asked: (coingecko: Int, stocks: Int) { (scene.simulator.requestCount, stocks.requestCount) }

    func status() throws -> StatusDocument { try StatusDocument(parsing: Data(scene.status.utf8)) }

    func market(_ id: String) throws -> StatusDocument.Market? { try status().markets?.first { $0.market == id } }

    func reasons() throws -> [String] { (try status().reasons ?? []).map { "\($0.code): \($0.message)" } }

    /// `rule market kind` of every event, with the minute since the start.
    func events() throws -> [String] {
        try HistoryReader(at: scene.database).events(since: .distantPast).map {
            "\($0.rule) \($0.market) \($0.kind.rawValue)"
        }
    }

    func finish() async {
        await scene.finish()
        await stocks.stop()
    }
}
