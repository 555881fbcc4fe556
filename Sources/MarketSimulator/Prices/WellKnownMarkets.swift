internal import Markets

extension SimulatedMarket {
    /// Forty markets that people know, by their ids at CoinGecko, with plausible prices of late 2026.
    static let wellKnown: [SimulatedMarket] = [
        market("bitcoin", "btc", "Bitcoin", "77123.45", 19_987_654, max: 21_000_000, moves: 150),
        market("ethereum", "eth", "Ethereum", "2391.22", 120_690_412.3, moves: 200),
        market("tether", "usdt", "Tether", "0.999718", 183_821_781_092.1, moves: 2),
        market("ripple", "xrp", "XRP", "1.4213", 60_693_851_493, max: 1e11, moves: 250),
        market("binancecoin", "bnb", "BNB", "612.66", 137_734_466.7, max: 2e8, moves: 180),
        market("solana", "sol", "Solana", "99.63", 565_245_237.4, moves: 300),
        market("usd-coin", "usdc", "USDC", "0.999873", 74_519_445_783.2, moves: 1),
        market("staked-ether", "steth", "Lido Staked Ether", "2388.71", 8_897_309.2, moves: 200),
        market("dogecoin", "doge", "Dogecoin", "0.107382", 152_362_256_383.7, moves: 350),
        market("cardano", "ada", "Cardano", "0.311074", 36_045_020_830.3, max: 4.5e10, moves: 300),
        market("tron", "trx", "TRON", "0.284773", 94_639_139_305.6, moves: 120),
        market("wrapped-bitcoin", "wbtc", "Wrapped Bitcoin", "76984.2", 128_460.77, moves: 150),
        market("chainlink", "link", "Chainlink", "9.83", 678_099_971.2, max: 1e9, moves: 300),
        market("stellar", "xlm", "Stellar", "0.162208", 32_304_529_224.9, max: 50_001_787_265, moves: 260),
        market("bitcoin-cash", "bch", "Bitcoin Cash", "442.69", 19_961_081.1, max: 21_000_000, moves: 220),
        market("litecoin", "ltc", "Litecoin", "61.3", 76_462_333.2, max: 84_000_000, moves: 220),
        market("avalanche-2", "avax", "Avalanche", "9.87", 426_015_623.4, max: 720_000_000, moves: 300),
        market("the-open-network", "ton", "Toncoin", "1.27", 2_537_647_561.2, moves: 300),
        market("shiba-inu", "shib", "Shiba Inu", "8.36e-06", 589_246_281_428_342.4, moves: 350),
        market("hedera-hashgraph", "hbar", "Hedera", "0.092545", 42_399_966_653.6, max: 5e10, moves: 280),
        market("polkadot", "dot", "Polkadot", "1.51", 1_658_094_746.3, moves: 280),
        market("uniswap", "uni", "Uniswap", "3.98", 630_766_667, max: 1e9, moves: 320),
        market("dai", "dai", "Dai", "0.999536", 4_154_708_907, moves: 2),
        market("leo-token", "leo", "LEO Token", "8.99", 922_743_922.9, moves: 60),
        market("monero", "xmr", "Monero", "342.83", 18_447_820.4, moves: 200),
        market("pepe", "pepe", "Pepe", "3.51e-06", 420_690_000_000_000, max: 4.2069e14, moves: 450),
        market("aave", "aave", "Aave", "112.88", 15_190_189.3, max: 16_000_000, moves: 320),
        market("near", "near", "NEAR Protocol", "1.39", 1_281_671_517.7, moves: 320),
        market("ethereum-classic", "etc", "Ethereum Classic", "9.52", 155_213_808.7, max: 210_700_000, moves: 240),
        market("okb", "okb", "OKB", "82.87", 21_000_000, max: 21_000_000, moves: 150),
        market("internet-computer", "icp", "Internet Computer", "2.32", 549_235_389.3, moves: 300),
        market("aptos", "apt", "Aptos", "1.04", 767_867_787, moves: 320),
        market("cosmos", "atom", "Cosmos Hub", "2.02", 492_586_163.8, moves: 280),
        market("vechain", "vet", "VeChain", "0.00858961", 85_985_041_177, max: 86_712_634_466, moves: 280),
        market("arbitrum", "arb", "Arbitrum", "0.1127", 5_775_000_000, max: 1e10, moves: 320),
        market("filecoin", "fil", "Filecoin", "0.9413", 745_315_846, max: 1_961_735_729, moves: 300),
        market("bittorrent", "btt", "BitTorrent", "3.74762e-07", 986_061_142_857_000, moves: 220),
        market("floki", "floki", "FLOKI", "2.942e-05", 9_556_585_346_244, max: 1e13, moves: 400),
        market("terra-luna", "lunc", "Terra Luna Classic", "3.899e-05", 5_478_281_391_700, moves: 350),
        market("baby-doge-coin", "babydoge", "Baby Doge Coin", "1.206e-09", 119_863_452_000_000_000, moves: 400),
    ].compactMap(\.self)

    private static func market(
        _ id: String, _ symbol: String, _ name: String, _ start: String, _ supply: Double, max: Double? = nil,
        moves volatility: Int
    ) -> SimulatedMarket? {
        guard let id = try? MarketID(id), let start = Price(parsing: start) else { return nil }
        return SimulatedMarket(
            id: id, symbol: symbol, name: name, start: start, supply: supply, maxSupply: max, volatility: volatility)
    }
}
