/// The list of providers. A new one is a file in this folder, its tests, and an entry here.
package enum Providers {
    package static let all: [any ListedProvider.Type] = [
        CoinGecko.self, CoinPaprika.self, CoinMarketCap.self, Binance.self, Kraken.self,
    ]

    package static func named(_ name: String) -> (any ListedProvider.Type)? { all.first { $0.name == name } }
}
