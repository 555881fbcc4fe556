import Foundation
import HTTP
import Markets

@testable import Feeds

func ids(_ texts: String...) throws -> [MarketID] { try texts.map { try MarketID($0) } }

func watch(_ texts: String..., top: Int = 0) throws -> Watch {
    Watch(try texts.map { try MarketID($0) }, top: top, currency: try Currency("usd"))
}

func environment(
    _ url: String = "http://127.0.0.1:9/api/v3", key: Secret? = nil,
    rereadKey: (@Sendable () async -> Secret?)? = nil, timeout: Duration = .seconds(5)
) throws -> FeedEnvironment {
    var environment = FeedEnvironment(
        feed: "coingecko", baseURL: try BaseURL(url), userAgent: "pricewatch/0 (+tests)", timeout: timeout)
    environment.key = key
    environment.rereadKey = rereadKey
    return environment
}

/// A feed on a script, with full jitter always at its longest.
func scriptedFeed(
    _ transport: ScriptedTransport, _ time: ManualTime, memory: any FeedMemory = TransientMemory(),
    environment: FeedEnvironment, plan: ProviderPlan = .public
) -> Feed {
    Feed(
        FeedClient(
            CoinGecko(plan: plan), environment, transport: transport, memory: memory, time: time, random: { 1 }))
}

/// One row of `/coins/markets` with the fields that are read; the price is a JSON text.
func row(_ id: String, _ price: String, updated: String = "2026-11-21T09:59:30.000Z") -> String {
    """
    {"id":"\(id)","symbol":"\(id.prefix(3))","name":"\(id.capitalized)","current_price":\(price),\
    "market_cap":1000000,"total_volume":5000,"price_change_percentage_24h":-1.255,"last_updated":"\(updated)"}
    """
}

func rows(_ rows: String...) -> String { "[" + rows.joined(separator: ",") + "]" }

extension PollResult {
    var isWaiting: Bool { waitsUntil != nil }
}

extension QuoteRow {
    var market: MarketID? {
        switch self {
        case .quote(let quote): quote.market
        case .unusable(let market, _), .priceless(let market): market
        case .nameless: nil
        }
    }
}

extension Answer {
    var prices: [String: String] {
        Dictionary(quotes.map { ($0.market.text, $0.price.description) }, uniquingKeysWith: { $1 })
    }
}

/// A feed of any provider on a script.
func scriptedFeed(
    _ provider: any Provider, _ transport: ScriptedTransport, _ time: ManualTime, key: Secret? = nil,
    url: String = "http://127.0.0.1:9"
) throws -> Feed {
    Feed(
        FeedClient(
            provider, try environment(url, key: key), transport: transport, memory: TransientMemory(), time: time,
            random: { 1 }))
}

/// `ours=theirs` for each market.
func mapped(_ pairs: String..., top: Int = 0, currency: String = "usd") throws -> Watch {
    let entries = try pairs.map { pair in
        let names = pair.split(separator: "=", maxSplits: 1).map(String.init)
        return Watch.Entry(try MarketID(names[0]), providerID: names.last)
    }
    return Watch(entries, top: top, currency: try Currency(currency))
}
