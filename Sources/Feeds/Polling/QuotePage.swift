import Markets

/// What one request of a poll brought, row by row.
public struct QuotePage: Sendable {
    public var rows: [QuoteRow]

    public init(rows: [QuoteRow]) { self.rows = rows }
}

/// One row of an answer. A bad one leaves the others as they are.
public enum QuoteRow: Sendable, Hashable {
    case quote(Quote)
    case unusable(MarketID, RowFault)
    /// No id that could be a market's.
    case nameless

    var market: MarketID? {
        switch self {
        case .quote(let quote): quote.market
        case .unusable(let market, _): market
        case .nameless: nil
        }
    }
}

/// Why a row holds no usable price.
public enum RowFault: Sendable, Hashable {
    /// The price is null.
    case nullPrice
    /// The row has no price field at all.
    case absentPrice
    /// Not a number, 0 or less, or outside 1e-18 to 1e18.
    case badPrice
    /// There is a price, and beside it a time that cannot be read: it may be of any age.
    case badTime
}
