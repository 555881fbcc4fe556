import History
import Markets

/// Finds a recorded market by what the user typed.
enum RecordedMarket {
    /// The market with this id, in the configured currency or else in the first currency recorded for it. Throws an
    /// error with "did you mean".
    static func find(
        _ text: String, in reader: HistoryReader, preferring currency: Currency
    ) throws -> (MarketID, Currency) {
        if let market = try? MarketID(text), let used = try self.currency(of: market, in: reader, preferring: currency)
        {
            return (market, used)
        }
        try CommandError.refuseEmpty(reader)
        let known = try reader.names().filter { $0.market.text != text }
        let hint = Spelling.hint(for: text, among: known.map { ($0.market.text, $0.symbol, $0.name) })
        throw CommandError("find the market \(text): nothing is recorded under this id\(hint)", Exit.noSuchData)
    }

    /// Every market with recorded prices, by id.
    static func all(in reader: HistoryReader, preferring currency: Currency) throws -> [(MarketID, Currency)] {
        try CommandError.refuseEmpty(reader)
        return try Set(reader.names().map(\.market)).sorted().compactMap { market in
            try self.currency(of: market, in: reader, preferring: currency).map { (market, $0) }
        }
    }

    /// nil: no price of it was ever recorded.
    static func currency(
        of market: MarketID, in reader: HistoryReader, preferring currency: Currency
    ) throws(HistoryError) -> Currency? {
        let currencies = try reader.currencies(of: market)
        return currencies.contains(currency) ? currency : currencies.first
    }
}

extension CommandError {
    /// Throws (65) if no price was ever recorded.
    static func refuseEmpty(_ reader: HistoryReader) throws {
        guard try reader.isEmpty() else { return }
        throw CommandError(
            "read \(reader.path): nothing is recorded yet (start the daemon: pricewatch run; where it runs: "
                + "pricewatch status)", Exit.noSuchData)
    }
}

extension Spelling {
    /// The ids with this symbol or name, which need not be unique, else the most similar id:
    /// ` (did you mean bitcoin?)`; empty if nothing is similar.
    static func hint(for text: String, among known: [(id: String, symbol: String, name: String)]) -> String {
        let wanted = text.lowercased()
        let named = known.filter {
            [$0.id.lowercased(), $0.symbol.lowercased(), $0.name.lowercased()].contains(wanted)
        }
        if named.isEmpty { return hint(for: text, among: known.map(\.id)) }
        return " (did you mean \(named.prefix(5).map(\.id).joined(separator: ", "))?)"
    }
}
