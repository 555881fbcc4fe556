import Markets

/// The market numbers of the alert book. A market keeps its number while the daemon runs, also while it is not watched.
struct MarketNumbers: Sendable {
    private(set) var ids: [MarketID] = []
    private var numbers: [MarketID: Int] = [:]
    /// By place on the board: the market's number.
    private(set) var onBoard: [Int] = []
    /// By number: the place on the board; nil where it is not watched.
    private(set) var places: [Int?] = []
    private var seen: [MarketID] = []

    mutating func number(of market: MarketID) -> Int {
        if let number = numbers[market] { return number }
        numbers[market] = ids.count
        ids.append(market)
        places.append(nil)
        return ids.count - 1
    }

    func known(_ market: MarketID) -> Int? { numbers[market] }

    /// Takes over the order of the board; returns the numbers of the markets that are no longer on it.
    mutating func follow(_ board: MarketBoard) -> [Int] {
        let markets = board.markets
        guard markets != seen else { return [] }
        let before = onBoard
        for number in before { places[number] = nil }
        onBoard = markets.map { number(of: $0) }
        for (place, number) in onBoard.enumerated() { places[number] = place }
        seen = markets
        return before.filter { places[$0] == nil }
    }
}
