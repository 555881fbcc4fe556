import Markets

extension Price {
    /// A price for tables, with the significant digits and separators: `77,111.39`, `153.30`, `0.0000035097`.
    ///
    /// Rounded half up to five significant digits or two decimals, whichever is more exact. JSON, exports and the log
    /// have the exact price.
    var shortText: String {
        let digits = String(significand)
        let magnitude = digits.utf8.count - 1 + exponent
        let decimals =
            switch magnitude {
            case 6...: 0
            case 0...: max(2, 4 - magnitude)
            default: 4 - magnitude
            }
        var rounded = significand
        var point = -exponent
        if point > decimals {
            let divisor = (0..<(point - decimals)).reduce(Int64(1)) { power, _ in power * 10 }
            let (quotient, rest) = significand.quotientAndRemainder(dividingBy: divisor)
            rounded = quotient + (rest >= divisor - rest ? 1 : 0)
            point = decimals
        }
        let text = Price(significand: rounded, exponent: -point)?.description ?? description
        return Digits.separated(Digits.padded(text))
    }
}
