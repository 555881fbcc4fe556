/// A price for people: the significant digits, with commas between the thousands.
package enum PriceText {
    /// Six digits, above 1 at least two decimals, no decimals from ten millions on: `59,990`, `0.000000001206`,
    /// `1,000,000,000,000`.
    ///
    /// - Parameter level: More digits are shown if rounding would move the price onto or across it: 59999.996 is not
    ///   yet 60,000.
    package static func text(_ price: Price, apartFrom level: Price? = nil) -> String {
        let digits = price.digits
        let whole = digits + price.exponent
        var kept = whole > 7 ? whole : whole > 0 ? max(6, whole + 2) : 6
        while kept < digits, let rounded = price.rounded(toDigits: kept) {
            if let level, level.relation(to: rounded) != level.relation(to: price) {
                kept += 1
            } else {
                return Digits.separated(rounded.description)
            }
        }
        return Digits.separated(price.description)
    }

    /// Every digit, as the owner wrote it.
    package static func exact(_ price: Price) -> String { Digits.separated(price.description) }
}

extension Price {
    fileprivate func relation(to other: Price) -> Int { self < other ? -1 : self == other ? 0 : 1 }
}

extension Percent {
    /// `+5.2 %`, `−5.2 %`, `0 %`, with U+2212 as minus sign.
    package var signedText: String {
        let sign = hundredths < 0 ? "−" : hundredths > 0 ? "+" : ""
        return sign + magnitudeText
    }

    /// `5.2 %`
    package var magnitudeText: String {
        let digits = description.hasPrefix("-") ? String(description.dropFirst()) : description
        return Digits.separated(digits) + " %"
    }
}

extension Duration {
    /// An age for people, truncated to its two largest units: `45s`, `12m`, `3h5m`, `2d3h`.
    package var ageText: String {
        let milliseconds = max(0, inMilliseconds)
        let step: Int64 =
            switch milliseconds {
            case ..<120_000: 1000
            case ..<172_800_000: 60_000
            default: 3_600_000
            }
        return Duration.milliseconds(milliseconds / step * step).unitsText
    }
}
