import Foundation
import Markets

/// The data that the rules compare, by market number: fresh prices and windows.
struct EvaluationPrices: Sendable {
    /// The market's price; nil if it has no fresh one of this poll.
    private(set) var prices: [Price?] = []
    var windows: PriceWindows
    private let own: OwnSources
    /// Each source's group in the windows.
    private let groups: [SourceID: Int]

    /// - Parameter every: The time between two polls of the shared source as configured.
    init(windows: [Duration], every: Duration, sources: OwnSources) {
        own = sources
        let slower = Set(sources.sources.values).sorted { "\($0)" < "\($1)" }
        groups = Dictionary(
            uniqueKeysWithValues: [(SourceID.shared, 0)] + slower.enumerated().map { ($1, $0 + 1) })
        self.windows = PriceWindows(windows, every: every, others: slower.map { sources.every[$0] ?? every })
    }

    var count: Int { prices.count }

    mutating func grow(to markets: MarketNumbers) {
        let count = markets.ids.count
        guard count > prices.count else { return }
        windows.grow(to: count)
        if !own.sources.isEmpty {
            for number in prices.count..<count {
                windows.put(number, inGroup: groups[own[markets.ids[number]]] ?? 0)
            }
        }
        prices.append(contentsOf: repeatElement(nil, count: count - prices.count))
    }

    /// Takes over the board's prices after an answer.
    mutating func look(at board: MarketBoard, _ markets: MarketNumbers, at moment: AlertBook.Context) {
        for number in markets.places.indices where markets.places[number] < 0 { prices[number] = nil }
        let time = moment.now.milliseconds
        let sources = moment.sources.filter(\.value.answered).map(\.key)
        for source in sources { if let group = groups[source] { windows.pace(group, every: moment[source].interval) } }
        board.eachFreshPrice(at: time, answered: sources.contains) { place, price, quotedAt in
            let number = markets.onBoard[place]
            prices[number] = price
            windows.take(price, quotedAt: quotedAt, of: number, now: time)
        }
    }

    /// Takes over the board's prices of backfilled markets; the others get no price.
    mutating func look(atBackfilled backfilled: [MarketID], on board: MarketBoard, _ markets: MarketNumbers) {
        prices = Array(repeating: nil, count: count)
        for market in backfilled {
            guard let number = markets.known(market), let newest = board[market]?.shown else { continue }
            prices[number] = newest.price
            windows.take(backfilled: newest.price, quotedAt: newest.quotedAt.milliseconds, of: number)
        }
    }

    mutating func recall(
        poll: Date, _ sources: [SourceID], interval: Duration, samples: [(market: Int, quotedAt: Int64, price: Price)],
        unknown: [Int]
    ) {
        let asked = sources.compactMap { groups[$0] }
        for group in asked { windows.pace(group, every: interval) }
        windows.recall(poll: poll.milliseconds, groups: asked, samples: samples, unknown: unknown)
    }
}

/// The market numbers of the alert book. A market keeps its number while the daemon runs, also while it is not watched.
struct MarketNumbers: Sendable {
    private(set) var ids: [MarketID] = []
    private var numbers: [MarketID: Int] = [:]
    /// By place on the board: the market's number.
    private(set) var onBoard: [Int] = []
    /// By number: the place on the board; −1 where it is not watched.
    private(set) var places: [Int] = []
    private var seen: [MarketID] = []

    mutating func number(of market: MarketID) -> Int {
        if let number = numbers[market] { return number }
        numbers[market] = ids.count
        ids.append(market)
        places.append(-1)
        return ids.count - 1
    }

    func known(_ market: MarketID) -> Int? { numbers[market] }

    /// Takes over the order of the board; returns the numbers of the markets that are no longer on it.
    mutating func follow(_ board: MarketBoard) -> [Int] {
        let markets = board.markets
        guard markets != seen else { return [] }
        let before = onBoard
        for number in before { places[number] = -1 }
        onBoard = markets.map { number(of: $0) }
        for (place, number) in onBoard.enumerated() { places[number] = place }
        seen = markets
        return before.filter { places[$0] < 0 }
    }
}
