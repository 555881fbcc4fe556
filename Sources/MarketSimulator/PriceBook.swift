import Foundation
import Markets

/// The simulated markets and their prices in USD, at a step of the walk and at a time in the past.
struct PriceBook: Sendable {
    /// By market cap, largest first; scripted markets that are not among the largest come last.
    let markets: [SimulatedMarket]
    private let byID: [MarketID: SimulatedMarket]
    private let script: [MarketID: [Price]]
    private let seed: UInt64

    init(seed: UInt64, count: Int, script: [MarketID: [Price]] = [:]) {
        var markets = SimulatedMarket.largest(count)
        for (id, prices) in script.sorted(by: { $0.key < $1.key }) {
            guard let first = prices.first else { continue }
            if let index = markets.firstIndex(where: { $0.id == id }) {
                // The simulated past ends at the script's first price.
                markets[index].start = first
            } else {
                markets.append(.scripted(id, start: first))
            }
        }
        for index in markets.indices { markets[index].rank = index + 1 }
        self.markets = markets
        self.script = script
        self.seed = seed
        byID = Dictionary(uniqueKeysWithValues: markets.map { ($0.id, $0) })
    }

    func market(_ id: MarketID) -> SimulatedMarket? { byID[id] }

    /// The scripted price, or that of a seeded random walk; step 0 has the start price.
    func price(of market: SimulatedMarket, step: Int) -> Price {
        if let path = script[market.id], !path.isEmpty { return path[step % path.count] }
        let path = RandomPath(seed: seed ^ hash(of: market.id), octaves: 16)
        return market.price(changedBy: path.value(at: Int64(step)) - path.value(at: 0))
    }

    /// One price per minute, around the start price, so that the walk continues it without a jump.
    func price(of market: SimulatedMarket, at time: Date) -> Price {
        // Another seed than the walk's, so that the past is not a copy of its steps.
        let path = RandomPath(seed: ~seed ^ hash(of: market.id), octaves: 12)
        return market.price(changedBy: path.value(at: Int64((time.timeIntervalSince1970 / 60).rounded(.down))))
    }

    /// FNV-1a, the same in every process, which `Hasher` is not.
    private func hash(of id: MarketID) -> UInt64 {
        id.text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// The position of the price walk, and when it advances.
struct Walk {
    /// The step, 0 for the first reply, and when prices became what they are.
    typealias Position = (step: Int, since: Date)

    /// Nil: each request for a first page makes a step.
    let stepsEvery: Duration?
    private var last: Position?

    init(stepsEvery: Duration?) { self.stepsEvery = stepsEvery }

    mutating func position(isFirstPage: Bool, now: Date) -> Position {
        var position = last ?? (0, now)
        if let stepsEvery {
            // A clock that is set back does not move the walk back.
            let steps = max(0, Int(now.since(position.since).inMilliseconds / stepsEvery.inMilliseconds))
            position.step += steps
            position.since = position.since + stepsEvery * steps
        } else if isFirstPage, last != nil {
            position = (position.step + 1, now)
        }
        if stepsEvery != nil || isFirstPage { last = position }
        return position
    }
}

/// A path that wanders like a random walk, with a value at any index that does not depend on the ones before.
///
/// Sums straight lines between random points at ever longer distances: points 2^k apart differ by about √2^k, as in a
/// random walk, up to the last octave, beyond which the path stays in its band. Every machine computes the same: IEEE
/// 754 defines each operation exactly.
private struct RandomPath {
    let seed: UInt64
    let octaves: Int

    func value(at index: Int64) -> Double {
        (0..<octaves).reduce(0) { sum, octave in
            let cell = index >> octave
            let length = Double(1 << octave)
            let within = Double(index - (cell << octave)) / length
            let line = point(cell, octave) * (1 - within) + point(cell + 1, octave) * within
            return sum + line * length.squareRoot()
        }
    }

    /// −1 to 1.
    private func point(_ cell: Int64, _ octave: Int) -> Double {
        let random = mixed(seed ^ mixed(UInt64(bitPattern: cell) &* 64 &+ UInt64(octave)))
        return Double(Int64(random >> 43) - (1 << 20)) / 1_048_576
    }
}

extension SimulatedMarket {
    /// The start price changed by a path's value times this market's volatility.
    fileprivate func price(changedBy value: Double) -> Price {
        Price(parsing: "\(start.double * (1 + value * Double(volatility) / 1e6))") ?? start
    }
}

/// The finalizer of Steele, Lea and Flood's SplitMix64: a random-looking number, always the same for one `value`.
func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
}

/// A market of the simulation: what it is called and where its price starts.
package struct SimulatedMarket: Sendable, Hashable {
    package let id: MarketID
    package let symbol: String
    package let name: String
    /// 1 for the largest by market cap.
    package internal(set) var rank = 0
    /// The price of step 0, in USD.
    package internal(set) var start: Price
    /// Units in circulation.
    package let supply: Double
    /// The size of a step in millionths of the price: 2 for a stablecoin, 150 for bitcoin; at most 500.
    let volatility: Int

    private var startMarketCap: Double { start.double * supply }

    /// The `count` largest markets by market cap: the well-known ones, then `market-21` and so on.
    static func largest(_ count: Int) -> [SimulatedMarket] {
        let known = wellKnown.sorted { $0.startMarketCap > $1.startMarketCap }
        guard count > known.count, let smallest = known.last else { return Array(known.prefix(max(0, count))) }
        return known
            + (known.count + 1...count).compactMap { rank in
                make(rank: rank, marketCap: smallest.startMarketCap * Double(known.count) / Double(rank))
            }
    }

    /// A market that only a script names.
    static func scripted(_ id: MarketID, start: Price) -> SimulatedMarket {
        SimulatedMarket(
            id: id, symbol: id.text.lowercased(), name: id.text, start: start,
            supply: (1e6 / start.double).rounded(), volatility: 200)
    }

    /// Prices from 0.000001 to 99.9, spread evenly over the powers of ten, the same for a rank at any seed.
    private static func make(rank: Int, marketCap: Double) -> SimulatedMarket? {
        let random = mixed(UInt64(rank))
        let start = Price(significand: Int64(100 + random % 900), exponent: -8 + Int((random >> 16) % 8))
        guard let id = try? MarketID("market-\(rank)"), let start else { return nil }
        return SimulatedMarket(
            id: id, symbol: "m\(rank)", name: "Market \(rank)", start: start,
            supply: (marketCap / start.double).rounded(), volatility: 200 + Int((random >> 32) % 300))
    }

    /// By their ids at CoinGecko, with plausible prices of late 2026.
    private static let wellKnown: [SimulatedMarket] = [
        market("bitcoin", "btc", "Bitcoin", "77123.45", 19_987_654, moves: 150),
        market("ethereum", "eth", "Ethereum", "2391.22", 120_690_412.3, moves: 200),
        market("tether", "usdt", "Tether", "0.999718", 183_821_781_092.1, moves: 2),
        market("ripple", "xrp", "XRP", "1.4213", 60_693_851_493, moves: 250),
        market("binancecoin", "bnb", "BNB", "612.66", 137_734_466.7, moves: 180),
        market("usd-coin", "usdc", "USDC", "0.999873", 74_519_445_783.2, moves: 1),
        market("solana", "sol", "Solana", "99.63", 565_245_237.4, moves: 300),
        market("tron", "trx", "TRON", "0.284773", 94_639_139_305.6, moves: 120),
        market("dogecoin", "doge", "Dogecoin", "0.107382", 152_362_256_383.7, moves: 350),
        market("cardano", "ada", "Cardano", "0.311074", 36_045_020_830.3, moves: 300),
        market("chainlink", "link", "Chainlink", "9.83", 678_099_971.2, moves: 300),
        market("monero", "xmr", "Monero", "342.83", 18_447_820.4, moves: 200),
        market("stellar", "xlm", "Stellar", "0.162208", 32_304_529_224.9, moves: 260),
        market("shiba-inu", "shib", "Shiba Inu", "8.36e-06", 589_246_281_428_342.4, moves: 350),
        market("litecoin", "ltc", "Litecoin", "61.3", 76_462_333.2, moves: 220),
        market("avalanche-2", "avax", "Avalanche", "9.87", 426_015_623.4, moves: 300),
        market("polkadot", "dot", "Polkadot", "1.51", 1_658_094_746.3, moves: 280),
        market("uniswap", "uni", "Uniswap", "3.98", 630_766_667, moves: 320),
        market("pepe", "pepe", "Pepe", "3.51e-06", 420_690_000_000_000, moves: 450),
        market("baby-doge-coin", "babydoge", "Baby Doge Coin", "1.206e-09", 119_863_452_000_000_000, moves: 400),
    ].compactMap(\.self)

    private static func market(
        _ id: String, _ symbol: String, _ name: String, _ start: String, _ supply: Double, moves volatility: Int
    ) -> SimulatedMarket? {
        guard let id = try? MarketID(id), let start = Price(parsing: start) else { return nil }
        return SimulatedMarket(
            id: id, symbol: symbol, name: name, start: start, supply: supply, volatility: volatility)
    }
}
