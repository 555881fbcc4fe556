import Markets

/// A condition in doubles: tells the clear cases apart quickly and leaves the close ones to the exact decision.
enum Screen: Sendable {
    /// What is compared, with the bounds below which the condition clearly does not and above which it clearly does
    /// hold.
    case price(Bounds)
    case fallingPrice(Bounds)
    case corridor(low: Double, high: Double, Bounds)
    case rise(Bounds)
    case fall(Bounds)
    case move(Bounds)
    /// How far above the highest, and below the lowest, of the others.
    case newHigh(Bounds)
    case newLow(Bounds)
    /// About the data, judged by itself.
    case data

    struct Bounds: Sendable {
        var clearlyNot: Double
        var clearly: Double

        init(around threshold: Double, margin: Double) {
            clearlyNot = threshold - margin
            clearly = threshold + margin
        }
    }

    /// A double of ours is off by no more than this, relatively.
    private static let precision = 1e-14
    /// A quotient of two of them near one is off by no more than this.
    private static let quotientPrecision = 1e-13

    init(_ condition: AlertRule.Condition) {
        func level(_ threshold: Double) -> Bounds {
            Bounds(around: threshold, margin: abs(threshold) * Self.precision)
        }
        func share(_ hundredths: Int64) -> Bounds {
            let threshold = Double(hundredths) / 10_000
            return Bounds(around: threshold, margin: (1 + threshold) * Self.quotientPrecision)
        }
        switch condition {
        case .above(let price): self = .price(level(price.double))
        case .below(let price): self = .fallingPrice(level(-price.double))
        case .outside(let low, let high):
            self = .corridor(
                low: low.double, high: high.double, Bounds(around: 0, margin: high.double * Self.precision * 4))
        case .rises(let percent, _): self = .rise(share(percent.hundredths))
        case .falls(let percent, _): self = .fall(share(percent.hundredths))
        case .moves(let percent, _): self = .move(share(percent.hundredths))
        case .newHigh: self = .newHigh(share(0))
        case .newLow: self = .newLow(share(0))
        case .stale, .marketStale, .marketMissing, .feedStale: self = .data
        }
    }
}
