import Markets

/// Tells a provider that changed its format from coins that have no price today.
enum SchemaDrift {
    /// The reason to refuse the whole answer, or nil; it completes "the answer …".
    ///
    /// No row of an answer has a price field of the right type: the format has changed. Null in every row is
    /// drift only where at least two of these very markets had a price before; a lone coin may have lost its.
    static func reason(in rows: [QuoteRow], before: [Quote]) -> String? {
        guard !rows.isEmpty else { return nil }
        var absent = 0
        var nameless = 0
        var null: Set<MarketID> = []
        for row in rows {
            switch row {
            case .quote: return nil
            case .unusable(_, .badPrice), .unusable(_, .badTime): return nil
            case .unusable(_, .absentPrice): absent += 1
            case .unusable(let market, .nullPrice): null.insert(market)
            case .nameless: nameless += 1
            }
        }
        if nameless == rows.count { return "has no id in any of its \(rows.count) rows" }
        if null.isEmpty { return "has no price field in any of its \(rows.count) rows" }
        let lost = before.count { null.contains($0.market) }
        if lost >= 2 { return "has no price in any of its \(rows.count) rows, where it had some before" }
        return nil
    }
}
