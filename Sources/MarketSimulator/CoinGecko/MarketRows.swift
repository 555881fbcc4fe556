internal import Foundation
internal import Markets

/// The rows of `/coins/markets` at one step of the walk.
struct MarketRows {
    let book: PriceBook
    let step: Int
    /// When the step was made: what `last_updated` says and what 24 h are counted back from.
    let asOf: Date
    let currency: VsCurrency
    let precision: NumberText.Precision
    /// `1h`, `24h`, `7d` …: the windows of `price_change_percentage`, as asked for.
    let windows: [String]
    let oddities: RowOddities

    func json(_ markets: some Sequence<SimulatedMarket>) -> String {
        "[" + markets.filter { !oddities.missing.contains($0.id) }.map(row).joined(separator: ",") + "]"
    }

    private func row(_ market: SimulatedMarket) -> String {
        let key = FNV1a.hash(market.id.text)
        let price = price(of: market)
        let now = price?.double ?? 0
        let day = stride(from: 0, through: 24, by: 2).compactMap { hours in
            self.price(of: market, before: .hours(hours))?.double
        }
        let dayAgo = day.last ?? now
        let cap = now * market.supply
        let capBefore = dayAgo * market.supply
        let isNull = oddities.hasNullPrice(market.id)
        func unlessNull(_ text: String) -> String { isNull ? "null" : text }
        var fields: [(String, String)] = [
            ("id", jsonText(market.id.text)),
            ("symbol", jsonText(market.symbol)),
            ("name", jsonText(market.name)),
            ("image", jsonText("https://coin-images.coingecko.com/coins/images/\(key % 40_000)/large/coin.png")),
            ("current_price", unlessNull(oddities.prices[market.id] ?? NumberText.price(price, precision))),
            ("market_cap", NumberText.amount(cap)),
            ("market_cap_rank", book.rank(of: market.id).map(String.init) ?? "null"),
            ("fully_diluted_valuation", key % 7 == 0 ? "null" : NumberText.amount(now * market.totalSupply)),
            ("total_volume", NumberText.amount(cap * Double(1 + key % 15) / 100)),
            ("high_24h", unlessNull(amount(day.max().map { max($0, now) }))),
            ("low_24h", unlessNull(amount(day.min().map { min($0, now) }))),
            ("price_change_24h", unlessNull("\(now - dayAgo)")),
            ("price_change_percentage_24h", unlessNull(NumberText.percent(from: dayAgo, to: now))),
            ("market_cap_change_24h", unlessNull("\(cap - capBefore)")),
            ("market_cap_change_percentage_24h", unlessNull(NumberText.percent(from: capBefore, to: cap))),
            ("circulating_supply", "\(market.supply)"),
            ("total_supply", key % 20 == 0 ? "null" : "\(market.totalSupply)"),
            ("max_supply", market.maxSupply.map { "\($0)" } ?? "null"),
        ]
        fields += records(now, key)
        for window in windows {
            let change = Self.windowLengths[window].flatMap { self.price(of: market, before: $0)?.double }
                .map { NumberText.percent(from: $0, to: now) }
            fields.append(("price_change_percentage_\(window)_in_currency", unlessNull(change ?? "null")))
        }
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// All-time high and low, the return on investment where CoinGecko states one, and the time.
    private func records(_ now: Double, _ key: UInt64) -> [(String, String)] {
        let (high, low) = (now * Double(2 + key % 5), now / Double(10 + key % 90))
        let times = Double(key % 1000) / 10
        return [
            ("ath", amount(high)),
            ("ath_change_percentage", NumberText.percent(from: high, to: now)),
            ("ath_date", "\"2025-01-20T07:16:25.271Z\""),
            ("atl", amount(low)),
            ("atl_change_percentage", NumberText.percent(from: low, to: now)),
            ("atl_date", "\"2020-03-13T02:22:55.391Z\""),
            ("roi", key % 9 == 0 ? #"{"times":\#(times),"currency":"usd","percentage":\#(times * 100)}"# : "null"),
            ("last_updated", "\"\((asOf - oddities.age).utcTextWithMilliseconds)\""),
        ]
    }

    private func amount(_ value: Double?) -> String {
        NumberText.price(value.flatMap { Price(parsing: "\($0)") }, .rounded)
    }

    private func price(of market: SimulatedMarket) -> Price? {
        currency.price(book.price(of: market, step: step)) { book.price(of: $0, step: step) }
    }

    private func price(of market: SimulatedMarket, before age: Duration) -> Price? {
        let time = asOf - age
        return currency.price(book.price(of: market, at: time)) { book.price(of: $0, at: time) }
    }

    private static let windowLengths: [String: Duration] = [
        "1h": .hours(1), "24h": .hours(24), "7d": .hours(168), "14d": .hours(336), "30d": .hours(720),
        "200d": .hours(4800), "1y": .hours(8760),
    ]
}

extension SimulatedMarket {
    fileprivate var totalSupply: Double { maxSupply ?? supply }
}
