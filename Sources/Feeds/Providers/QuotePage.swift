import Markets

/// The result of one request of a poll, row by row.
package struct QuotePage: Sendable {
    package var rows: [QuoteRow]

    package init(rows: [QuoteRow]) { self.rows = rows }
}

/// One row of an answer. A bad row does not affect the others.
package enum QuoteRow: Sendable, Hashable {
    case quote(Quote)
    case unusable(MarketID, RowFault)
    /// No valid market id.
    case nameless

    var market: MarketID? {
        switch self {
        case .quote(let quote): quote.market
        case .unusable(let market, _): market
        case .nameless: nil
        }
    }
}

/// Why a row has no usable price.
package enum RowFault: Sendable, Hashable {
    /// The price is null.
    case nullPrice
    /// The row has no price field at all.
    case absentPrice
    /// Not a number, 0 or less, or outside 1e-18 to 1e18.
    case badPrice
    /// There is a price, but its time cannot be read: it may be of any age.
    case badTime
}

extension QuotePage {
    /// Why the whole page is refused, or nil; completes "the answer …".
    ///
    /// If no row has a price field of the right type, the provider has changed its format. If all prices are null, that
    /// is assumed only if at least two of the same markets had a price `before`: a single coin may lose its price.
    func schemaDrift(since before: [Quote]) -> String? {
        guard !rows.isEmpty else { return nil }
        var nameless = 0
        var null: Set<MarketID> = []
        for row in rows {
            switch row {
            case .quote, .unusable(_, .badPrice), .unusable(_, .badTime): return nil
            case .unusable(_, .absentPrice): break
            case .unusable(let market, .nullPrice): null.insert(market)
            case .nameless: nameless += 1
            }
        }
        if nameless == rows.count { return "has no id in any of its \(rows.count) rows" }
        if null.isEmpty { return "has no price field in any of its \(rows.count) rows" }
        let lost = before.count { null.contains($0.market) }
        return lost < 2 ? nil : "has no price in any of its \(rows.count) rows, where it had some before"
    }
}
