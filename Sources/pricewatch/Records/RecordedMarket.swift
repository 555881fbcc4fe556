import History
import Markets

/// Finds a recorded market by what the user typed.
enum RecordedMarket {
    /// The market with this id, in the currency wanted; nil: in the one that it is watched in, or else in the first
    /// recorded. Throws an error with "did you mean", or with the currencies that there are.
    static func find(
        _ text: String, in reader: HistoryReader, preferring currencies: MarketCurrencies, only wanted: Currency? = nil
    ) throws -> (MarketID, Currency) {
        if let market = try? MarketID(text) {
            let recorded = try reader.currencies(of: market)
            if let used = recorded.preferred(currencies[market], only: wanted) { return (market, used) }
            if let wanted, !recorded.isEmpty {
                let known = recorded.map(\.code).joined(separator: ", ")
                throw CommandError(
                    "find the market \(text) in \(wanted): it is recorded in \(known)", Exit.noSuchData)
            }
        }
        try CommandError.refuseEmpty(reader)
        let known = try reader.names().filter { $0.market.text != text }
        let hint = Spelling.hint(for: text, among: known.map { ($0.market.text, $0.symbol, $0.name) })
        throw CommandError("find the market \(text): nothing is recorded under this id\(hint)", Exit.noSuchData)
    }

    /// Every market with recorded prices, by id; with a currency wanted, those that have prices in it.
    static func all(
        in reader: HistoryReader, preferring currencies: MarketCurrencies, only wanted: Currency? = nil
    ) throws -> [(MarketID, Currency)] {
        try CommandError.refuseEmpty(reader)
        return try Set(reader.names().map(\.market)).sorted().compactMap { market in
            try reader.currencies(of: market).preferred(currencies[market], only: wanted).map { (market, $0) }
        }
    }
}

extension [Currency] {
    /// The currency wanted; else the usual one, or else the first. Nil: it is not among them.
    func preferred(_ usual: Currency, only wanted: Currency? = nil) -> Currency? {
        contains(wanted ?? usual) ? wanted ?? usual : wanted == nil ? first : nil
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
