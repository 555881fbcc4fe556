import Foundation
import Markets

/// What the rules compare, by the numbers of the markets: prices, how they moved, and since when nothing came.
struct MarketSight: Sendable {
    /// Not a number where the market has no fresh price, or was not answered in this turn.
    private(set) var prices: [Double] = []
    var windows: PriceWindows
    private let own: OwnLanes
    /// Markets that are asked together, by their numbers in the windows.
    private let groups: [Lane: Int]

    /// - Parameter every: The time between two polls of the shared lane as configured.
    init(windows: [Duration], every: Duration, lanes: OwnLanes) {
        own = lanes
        let slower = Set(lanes.lanes.values).sorted { "\($0)" < "\($1)" }
        groups = Dictionary(
            uniqueKeysWithValues: [(Lane.shared, 0)] + slower.enumerated().map { ($1, $0 + 1) })
        self.windows = PriceWindows(windows, every: every, others: slower.map { lanes.every[$0] ?? every })
    }

    var count: Int { prices.count }

    mutating func grow(to markets: MarketNumbers) {
        let count = markets.ids.count
        guard count > prices.count else { return }
        windows.grow(to: count)
        if !own.lanes.isEmpty {
            for number in prices.count..<count { windows.put(number, inGroup: groups[own[markets.ids[number]]] ?? 0) }
        }
        prices.append(contentsOf: repeatElement(.nan, count: count - prices.count))
    }

    /// Takes in what the board shows after an answer.
    mutating func look(at board: MarketBoard, _ markets: MarketNumbers, at moment: AlertBook.Moment) {
        for number in markets.places.indices where markets.places[number] < 0 { prices[number] = .nan }
        let time = moment.now.milliseconds
        let lanes = moment.lanes.filter(\.value.answered).map(\.key)
        for lane in lanes { if let group = groups[lane] { windows.pace(group, every: moment[lane].interval) } }
        board.eachFreshPrice(at: time, answered: lanes.contains) { place, price, quotedAt in
            let number = markets.onBoard[place]
            prices[number] = price?.double ?? .nan
            windows.take(price, quotedAt: quotedAt, of: number, now: time)
        }
    }

    /// Takes in what the board shows of markets whose prices were healed; of the others nothing was heard.
    mutating func look(atHealed healed: [MarketID], on board: MarketBoard, _ markets: MarketNumbers) {
        for number in prices.indices {
            prices[number] = .nan
            windows.take(nil, quotedAt: 0, of: number, now: 0)
        }
        for market in healed {
            guard let number = markets.known(market), let newest = board[market]?.shown else { continue }
            prices[number] = newest.price.double
            windows.take(healed: newest.price, quotedAt: newest.quotedAt.milliseconds, of: number)
        }
    }

    mutating func recall(
        poll: Date, _ lanes: [Lane], interval: Duration, samples: [(market: Int, quotedAt: Int64, price: Price)],
        unknown: [Int]
    ) {
        let asked = lanes.compactMap { groups[$0] }
        for group in asked { windows.pace(group, every: interval) }
        windows.recall(poll: poll.milliseconds, groups: asked, samples: samples, unknown: unknown)
    }
}
