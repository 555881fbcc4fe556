internal import Foundation
internal import Markets

/// A currency that CoinGecko quotes in. Rates of money stand still; coins cost what they cost in the simulation.
enum VsCurrency: Sendable {
    /// So many units make one USD.
    case money(Decimal)
    /// So many units make one coin of a well-known market.
    case coin(SimulatedMarket, units: Decimal)

    static let byCode: [String: VsCurrency] = money.merging(coins) { money, _ in money }
    static let codes = byCode.keys.sorted()

    /// Nil where the result is outside the range of a price.
    func price(_ usd: Price, coinPrice: (SimulatedMarket) -> Price) -> Price? {
        switch self {
        case .money(1): usd
        case .money(let rate): Price(usd.decimal * rate)
        case .coin(let market, let units): Price(usd.decimal / coinPrice(market).decimal * units)
        }
    }

    private static let money: [String: VsCurrency] = [
        "usd": "1", "aed": "3.6725", "ars": "1391.5", "aud": "1.5211", "bdt": "121.9", "bhd": "0.377", "bmd": "1",
        "brl": "5.412", "cad": "1.3917", "chf": "0.8012", "clp": "957.3", "cny": "7.1432", "czk": "21.08",
        "dkk": "6.4387", "eur": "0.8629", "gbp": "0.7462", "gel": "2.7031", "hkd": "7.7893", "huf": "339.4",
        "idr": "16412", "ils": "3.3408", "inr": "88.11", "jpy": "147.62", "krw": "1392.7", "kwd": "0.3056",
        "lkr": "302.4", "mmk": "2098", "mxn": "18.63", "myr": "4.2215", "ngn": "1509", "nok": "10.07",
        "nzd": "1.7042", "php": "57.12", "pkr": "283.6", "pln": "3.6781", "rub": "81.3", "sar": "3.7512",
        "sek": "9.4733", "sgd": "1.2839", "thb": "32.31", "try": "41.22", "twd": "30.61", "uah": "41.35",
        "vef": "0.1001", "vnd": "26315", "zar": "17.64", "xdr": "0.7018", "xag": "0.0245", "xau": "0.000279",
        "eos": "2.1", "yfi": "0.00021",
    ].compactMapValues { Decimal(wholeText: $0).map(VsCurrency.money) }

    private static let coins: [String: VsCurrency] = {
        let known = Dictionary(uniqueKeysWithValues: SimulatedMarket.wellKnown.map { ($0.symbol, $0) })
        var coins = ["btc", "eth", "ltc", "bch", "bnb", "xrp", "xlm", "link", "dot", "sol"].reduce(
            into: [String: VsCurrency]()
        ) { coins, symbol in coins[symbol] = known[symbol].map { .coin($0, units: 1) } }
        coins["bits"] = known["btc"].map { .coin($0, units: 1_000_000) }
        coins["sats"] = known["btc"].map { .coin($0, units: 100_000_000) }
        return coins
    }()
}
