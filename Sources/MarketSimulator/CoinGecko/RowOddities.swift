internal import Markets

/// What a fault changes in the rows of an otherwise proper answer.
struct RowOddities {
    enum Nulls: Hashable {
        case none, all
        case only(Set<MarketID>)
    }

    var nulls = Nulls.none
    var missing: Set<MarketID> = []
    /// JSON texts in place of prices.
    var prices: [MarketID: String] = [:]
    var age = Duration.zero

    init(_ fault: Fault) {
        switch fault {
        case .nullPrices(nil): nulls = .all
        case .nullPrices(.some(let markets)): nulls = .only(markets)
        case .missing(let markets): missing = markets
        case .prices(let texts): prices = texts
        case .aged(let age): self.age = age
        default: break
        }
    }

    func hasNullPrice(_ market: MarketID) -> Bool {
        switch nulls {
        case .none: false
        case .all: true
        case .only(let markets): markets.contains(market)
        }
    }
}
