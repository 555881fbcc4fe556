import Engine
import Foundation
import HTTP
import History
import MarketSimulator
import Markets
import TestSupport

@testable import pricewatch

/// A daemon that asks CoinGecko for bitcoin each minute and a server of another kind for AAPL every 15 minutes, both
/// simulated without sockets. Time is stepped by hand.
final class SourceScene {
    let scene: DaemonScene
    let stocks: CoinGeckoSimulator

    /// - Parameters:
    ///   - prices: of AAPL, answer by answer.
    ///   - feed: further keys of the feed `stocks`.
    ///   - markets: beside AAPL.
    ///   - ahead: by how much the clock of AAPL's server is.
    ///   - every: of CoinGecko, with further keys of it in `coingecko`, each after a comma.
    ///   - server: in place of the simulated one of AAPL.
    init(
        _ rules: String = "", prices: [String] = ["190"], feed: String = "every: 15m", markets: String = "bitcoin",
        ahead: Duration = .zero, every: Duration = .minutes(1), coingecko: String = "",
        server: (any HTTPTransport)? = nil
    ) throws {
        let time = HandClock()
        stocks = CoinGeckoSimulator(
            script: [try MarketID("AAPL"): prices.compactMap { Price(parsing: $0) }], now: { time.now() + ahead })
        let address = "http://127.0.0.1:2/"
        scene = try DaemonScene(
            """
            watch: {markets: [\(markets), {id: AAPL, feed: stocks}]}
            \(rules)
            """,
            script: [try MarketID("bitcoin"): [Price(parsing: "70000"), Price(parsing: "70001")].compactMap(\.self)],
            preferred: "provider: coingecko\(coingecko)",
            feeds: """
                , {name: stocks, provider: json, \(feed),
                   url: "\(address)api/v3/coins/markets?vs_currency=usd&ids={ids}",
                   fields: {id: /id, price: /current_price, quoted_at: /last_updated}, currency: usd}
                """, time: time, every: every)
        scene.transport = RoutedTransport(servers: [
            scene.simulator.baseURL: SimulatedTransport(scene.simulator),
            address: server ?? SimulatedTransport(stocks),
        ])
    }

    var asked: (coingecko: Int, stocks: Int) { (scene.simulator.requestCount, stocks.requestCount) }

    func status() throws -> StatusReport { try scene.status() }

    func market(_ id: String) throws -> StatusReport.Market? { try status().markets.first { $0.market.text == id } }

    func reasons() throws -> [String] { try status().reasons.map { "\($0.code): \($0.message)" } }

    /// `rule market kind` of every event.
    func events() throws -> [String] {
        try HistoryReader(at: scene.database).events(since: .distantPast).map {
            "\($0.rule) \($0.market) \($0.kind.rawValue)"
        }
    }
}
