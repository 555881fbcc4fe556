import History
import Markets

/// Finds a recorded market by what the user typed.
enum RecordedMarket {
    /// The market with this id, in the configured currency or else in the first currency recorded for it. Throws an
    /// error with "did you mean".
    static func find(
        _ text: String, in reader: HistoryReader, preferring currency: Currency
    ) throws -> (MarketID, Currency) {
        if let market = try? MarketID(text) {
            let currencies = try reader.currencies(of: market)
            if currencies.contains(currency) { return (market, currency) }
            if let other = currencies.first { return (market, other) }
        }
        try CommandError.refuseEmpty(reader)
        let known = try reader.names().filter { $0.market.text != text }
        let meant = suggestions(for: text, among: known)
        let hint = meant.isEmpty ? "" : " (did you mean \(meant.joined(separator: ", "))?)"
        throw CommandError("find the market \(text): nothing is recorded under this id\(hint)", Exit.noSuchData)
    }

    /// Up to three ids: those with this symbol or name, else those with the most similar spelling.
    static func suggestions(for text: String, among known: [HistoryReader.Name]) -> [String] {
        let wanted = text.lowercased()
        let named = known.filter {
            [$0.symbol.lowercased(), $0.name.lowercased(), $0.market.text.lowercased()].contains(wanted)
        }
        if !named.isEmpty { return Array(named.map(\.market.text).prefix(3)) }
        return Spelling.closest(to: text, among: known.map(\.market.text)).map { [$0] } ?? []
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
