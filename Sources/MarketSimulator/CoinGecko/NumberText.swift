internal import Foundation
internal import Markets

/// Numbers as CoinGecko's recorded answers write them: whole ones now as `49053`, now as `1.0`, small ones
/// as `8.36e-06`.
enum NumberText {
    /// How many digits of a price are asked for: the query item `precision`.
    enum Precision: Hashable {
        /// The default: whole from 10,000 on, then ever more decimals, 12 at most.
        case rounded
        case full
        case decimals(Int)

        /// Nil where the text is none of `full` and 0 to 18.
        init?(_ text: String?) {
            switch text {
            case nil, "": self = .rounded
            case "full": self = .full
            case .some(let text):
                guard let count = Int(text), (0...18).contains(count) else { return nil }
                self = .decimals(count)
            }
        }
    }

    static func price(_ price: Price?, _ precision: Precision) -> String {
        guard let price else { return "0.0" }
        let rounded = price.rounded(toDecimals: precision.decimals(for: price.double))
        return rounded.map(decimal) ?? "0.0"
    }

    /// A market cap or volume: whole from a million on.
    static func amount(_ value: Double) -> String {
        if value >= 1_000_000, value < 9e15 { return String(Int64(value.rounded())) }
        return "\((value * 100).rounded() / 100)"
    }

    /// Percent with five decimals; 0 where there is nothing to compare with.
    static func percent(from old: Double, to new: Double) -> String {
        old == 0 ? "0.0" : "\(((new - old) / old * 1e7).rounded() / 1e5)"
    }

    private static func decimal(_ price: Price) -> String {
        let digits = String(price.significand)
        let power = digits.count - 1 + price.exponent
        if power < -4 || power > 15 {
            let fraction = digits.count > 1 ? String(digits.dropFirst()) : "0"
            let sign = power < 0 ? "-" : "+"
            return "\(digits.prefix(1)).\(fraction)e\(sign)\(abs(power) < 10 ? "0" : "")\(abs(power))"
        }
        let text = price.description
        return price.exponent < 0 || price.double >= 10_000 ? text : text + ".0"
    }
}

extension NumberText.Precision {
    /// Nil: all of them.
    fileprivate func decimals(for value: Double) -> Int? {
        switch self {
        case .full: nil
        case .decimals(let count): count
        case .rounded:
            switch value {
            case 10_000...: 0
            case 1.1...: 2
            case 1...: 3
            case 0.05...: 6
            case 0.001...: 8
            default: 12
            }
        }
    }
}

extension Price {
    /// Rounded half up to so many digits after the point; nil where nothing remains.
    fileprivate func rounded(toDecimals decimals: Int?) -> Price? {
        guard let decimals, exponent < -decimals else { return self }
        var divisor: Int128 = 1
        for _ in 0..<(-decimals - exponent) { divisor *= 10 }
        let quotient = (Int128(significand) + divisor / 2) / divisor
        return Price(significand: Int64(quotient), exponent: -decimals)
    }
}
