internal import Markets

/// A path that wanders like a random walk and yet is known at any index without the ones before.
///
/// Straight lines between random points, added up over ever longer distances: points 2^k apart differ by
/// about √2^k, as in a random walk, up to the last octave, beyond which the path stays in its band. Integers
/// only, so that machines cannot differ in the last bit.
struct FractalNoise {
    let seed: UInt64
    let octaves: Int

    /// A price's relative change is the noise × volatility ÷ this.
    private static let unit: Int128 = 1000 * (1 << 20) * 1_000_000
    /// Thousandths of √2^k.
    private static let growth: [Int64] = [
        1000, 1414, 2000, 2828, 4000, 5657, 8000, 11_314, 16_000, 22_627, 32_000, 45_255, 64_000, 90_510, 128_000,
        181_019,
    ]

    func value(at index: Int64) -> Int64 {
        var sum: Int64 = 0
        for octave in 0..<min(octaves, Self.growth.count) {
            let length = Int64(1) << octave
            let cell = index >> octave
            let within = index - cell << octave
            let line = point(cell, octave) * (length - within) + point(cell + 1, octave) * within
            sum += (line >> octave) * Self.growth[octave]
        }
        return sum
    }

    /// −2^20 to 2^20.
    private func point(_ cell: Int64, _ octave: Int) -> Int64 {
        let key = SplitMix64.mixed(seed ^ SplitMix64.mixed(UInt64(bitPattern: cell) &* 64 &+ UInt64(octave)))
        return Int64(key >> 43) - (1 << 20)
    }

    /// `start`, changed by `noise` of this volatility (see `SimulatedMarket`), to about 15 digits.
    static func price(_ start: Price, changedBy noise: Int64, volatility: Int) -> Price {
        var digits = Int128(start.significand)
        var exponent = start.exponent
        while digits < 100_000_000_000_000 {
            digits *= 10
            exponent -= 1
        }
        let changed = digits * (unit + Int128(noise) * Int128(volatility)) / unit
        return Int64(exactly: changed).flatMap { Price(significand: $0, exponent: exponent) } ?? start
    }
}
