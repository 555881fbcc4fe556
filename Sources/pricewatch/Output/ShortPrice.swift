import Markets

extension Price {
    /// For people's tables: the digits that matter, with separators, `77,111.39`, `153.30`, `0.0000035097`.
    ///
    /// Rounded half up to five significant digits or two decimals, whichever says more; the exact price stands in
    /// JSON, in exports and in the log.
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

/// Plain decimal numbers as people write them.
enum Digits {
    /// `77111.39` as `77,111.39`.
    static func separated(_ plain: String) -> String {
        let sign = plain.hasPrefix("-") ? "-" : ""
        let unsigned = plain.dropFirst(sign.count)
        let whole = unsigned.prefix { $0 != "." }
        var grouped = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index) % 3 == 0 { grouped += "," }
            grouped.append(digit)
        }
        return sign + grouped + unsigned.dropFirst(whole.count)
    }

    /// A lone decimal gets a second one beside it, as prices are written: `153.3` as `153.30`.
    fileprivate static func padded(_ plain: String) -> String {
        guard let point = plain.firstIndex(of: "."), plain.distance(from: point, to: plain.endIndex) == 2 else {
            return plain
        }
        return plain + "0"
    }
}
