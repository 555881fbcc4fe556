import Foundation

/// What the rules compare, by the numbers of the markets: prices, how they moved, and since when nothing came.
struct MarketSight: Sendable {
    /// Not a number where the market has no fresh price.
    private(set) var prices: [Double] = []
    var windows: PriceWindows

    init(windows: [Duration], longestStep: Duration) {
        self.windows = PriceWindows(windows, longestStep: longestStep)
    }

    var count: Int { prices.count }

    mutating func grow(to count: Int) {
        guard count > prices.count else { return }
        prices.append(contentsOf: repeatElement(.nan, count: count - prices.count))
        windows.grow(to: count)
    }

    /// Takes in what the board shows after an answer.
    mutating func look(at board: MarketBoard, _ markets: MarketNumbers, now: Date) {
        for number in markets.places.indices where markets.places[number] < 0 { prices[number] = .nan }
        let time = now.milliseconds
        board.eachFreshPrice(at: time) { place, price, quotedAt in
            let number = markets.onBoard[place]
            prices[number] = price?.double ?? .nan
            windows.take(price, quotedAt: quotedAt, of: number, now: time)
        }
    }
}
