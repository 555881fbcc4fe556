import Foundation
import Markets

/// A row of `/coins/markets`.
struct MarketRow {
    let market: SimulatedMarket
    /// In the currency asked for, now and 24 h before.
    let value: Price
    let dayAgo: Price
    /// The JSON of `current_price`; `null` leaves out the figures of 24 h as well.
    var price: String
    /// `last_updated`.
    var updated: Date

    var json: String {
        let (now, before) = (value.double, dayAgo.double)
        let cap = now * market.supply
        let percent = ((now - before) / before * 1e7).rounded() / 1e5
        func unlessNull(_ number: Double) -> String { price == "null" ? price : "\(number)" }
        return """
            {"id":\(jsonString(market.id.text)),"symbol":\(jsonString(market.symbol)),\
            "name":\(jsonString(market.name)),\
            "image":"https://coin-images.coingecko.com/coins/images/\(market.rank)/large/coin.png",\
            "current_price":\(price),"market_cap":\(cap),"market_cap_rank":\(market.rank),\
            "fully_diluted_valuation":\(cap),"total_volume":\(cap / 20),\
            "high_24h":\(unlessNull(max(now, before))),"low_24h":\(unlessNull(min(now, before))),\
            "price_change_24h":\(unlessNull(now - before)),"price_change_percentage_24h":\(unlessNull(percent)),\
            "market_cap_change_24h":\(unlessNull((now - before) * market.supply)),\
            "market_cap_change_percentage_24h":\(unlessNull(percent)),\
            "circulating_supply":\(market.supply),"total_supply":\(market.supply),"max_supply":null,\
            "ath":\(now * 2),"ath_change_percentage":-50.0,"ath_date":"2025-01-20T07:16:25.271Z",\
            "atl":\(now / 10),"atl_change_percentage":900.0,"atl_date":"2020-03-13T02:22:55.391Z",\
            "roi":null,"last_updated":"\(updated.utcTextWithMilliseconds)"}
            """
    }
}

extension Price {
    /// As CoinGecko writes prices: exact, and small ones as `8.36e-06`.
    var jsonNumber: String {
        let digits = String(significand)
        let power = digits.count - 1 + exponent
        guard power < -4 else { return description }
        let fraction = digits.count > 1 ? String(digits.dropFirst()) : "0"
        return "\(digits.prefix(1)).\(fraction)e-\(power > -10 ? "0" : "")\(-power)"
    }
}

/// Quoted and escaped.
func jsonString(_ text: String) -> String {
    (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
}
