import Foundation

/// The generator splitmix64: small, and the same everywhere.
package struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    package mutating func pick<T>(_ all: [T]) -> T { all[below(all.count)] }
}

/// How much is mutated, and from which seed: `PRICEWATCH_MUTATED_BODIES=1000000` looks further than the tests usually do,
/// `PRICEWATCH_MUTATION_SEED` elsewhere.
package enum MutationRun {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }

    package static func count(of what: String, usually: Int) -> Int { number("PRICEWATCH_MUTATED_\(what)") ?? usually }

    private static let usualSeed = 2
    package static let seed = UInt64(number("PRICEWATCH_MUTATION_SEED") ?? usualSeed)
    /// Whether it is what the tests try without these variables.
    package static let isUsual = seed == UInt64(usualSeed)

    /// Writes what is about to be tried, so that what ends the tests is found in this file.
    package static func note(_ what: @autoclosure () -> some DataProtocol) {
        guard let log else { return }
        try? Data(what()).write(to: URL(fileURLWithPath: log))
    }

    private static let log = ProcessInfo.processInfo.environment["PRICEWATCH_MUTATION_LOG"]
}
