/// A row of prices, small: a line of characters, or the path of a picture.
package enum Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let ascii: [Character] = ["_", ".", "-", "~", "^"]
    /// The smallest span of the vertical axis, as a share of the price, so that a stablecoin's noise stays flat.
    private static let leastSpan = 0.002

    /// A character's height is its price.
    ///
    /// - Parameters:
    ///   - prices: nil where no price is known, drawn as blank.
    ///   - width: In characters; several prices share a character if there are more prices.
    package static func text(_ prices: [Double?], width: Int, utf8: Bool) -> String {
        let shown = newest(prices, in: width)
        guard let (bottom, span) = scale(shown) else { return String(repeating: " ", count: width) }
        let levels = utf8 ? blocks : ascii
        return String(
            shown.map { price in
                guard let price else { return " " }
                let share = (price - bottom) / span
                return levels[min(levels.count - 1, max(0, Int(share * Double(levels.count))))]
            })
    }

    /// The path of a line through the prices, open where none is known, in steps of a place to the right and with the
    /// highest price at 0; nil if no price is known.
    package static func path(_ prices: [Double?], step: Int, height: Int) -> String? {
        guard let (bottom, span) = scale(prices) else { return nil }
        var path = ""
        var last: (x: Int, y: Int)?
        for (place, price) in prices.enumerated() {
            guard let price else {
                last = nil
                continue
            }
            let (x, y) = (place * step, Int(((1 - (price - bottom) / span) * Double(height)).rounded()))
            // A single price is a short line.
            let isAlone = last == nil && (place + 1 == prices.count || prices[place + 1] == nil)
            if let last { path += "l\(x - last.x) \(y - last.y)" } else { path += "M\(x) \(y)" }
            if isAlone { path += "h1" }
            last = (x, y)
        }
        return path
    }

    /// The vertical axis; nil if no price is known.
    private static func scale(_ prices: [Double?]) -> (bottom: Double, span: Double)? {
        let known = prices.compactMap { $0 }
        guard let low = known.min(), let high = known.max() else { return nil }
        let span = max(high - low, high * leastSpan)
        return ((low + high - span) / 2, span)
    }

    /// The newest of the prices that share a character.
    private static func newest(_ prices: [Double?], in width: Int) -> [Double?] {
        guard prices.count > width else { return Array(repeating: nil, count: width - prices.count) + prices }
        return (0..<width).map { place in
            prices[(place * prices.count / width)..<((place + 1) * prices.count / width)].compactMap { $0 }.last
        }
    }
}
