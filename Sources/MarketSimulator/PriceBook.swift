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
