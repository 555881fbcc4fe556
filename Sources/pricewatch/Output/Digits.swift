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
    static func padded(_ plain: String) -> String {
        guard let point = plain.firstIndex(of: "."), plain.distance(from: point, to: plain.endIndex) == 2 else {
            return plain
        }
        return plain + "0"
    }
}
