/// A row of prices as one line of characters, each as high as its price.
enum Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let ascii: [Character] = ["_", ".", "-", "~", "^"]
    /// A move smaller than this share of the price is drawn as one: a coin that is worth a dollar must not look wild.
    private static let leastSpan = 0.002

    /// - Parameters:
    ///   - prices: nil where nothing is known, which stays blank.
    ///   - width: In characters; several prices share one where there are more.
    static func text(_ prices: [Double?], width: Int, utf8: Bool) -> String {
        let shown = newest(prices, in: width)
        let known = shown.compactMap { $0 }
        guard let low = known.min(), let high = known.max() else { return String(repeating: " ", count: width) }
        let span = max(high - low, high * leastSpan)
        let bottom = (low + high - span) / 2
        let levels = utf8 ? blocks : ascii
        return String(
            shown.map { price in
                guard let price else { return " " }
                let share = (price - bottom) / span
                return levels[min(levels.count - 1, max(0, Int(share * Double(levels.count))))]
            })
    }

    /// The newest of the prices that share a character.
    private static func newest(_ prices: [Double?], in width: Int) -> [Double?] {
        guard prices.count > width else { return Array(repeating: nil, count: width - prices.count) + prices }
        return (0..<width).map { place in
            prices[(place * prices.count / width)..<((place + 1) * prices.count / width)].compactMap { $0 }.last
        }
    }
}
