import History
import Markets

/// Finds the market that a person means.
enum RecordedMarket {
    /// The market of this id, in the configured currency or, where it was recorded in others alone, in the first
    /// of those. Throws a complaint with "did you mean".
    static func find(
        _ text: String, in reader: HistoryReader, preferring currency: Currency
    ) throws -> (MarketID, Currency) {
        if let market = try? MarketID(text) {
            let currencies = try reader.currencies(of: market)
            if currencies.contains(currency) { return (market, currency) }
            if let other = currencies.first { return (market, other) }
        }
        try Complaint.refuseEmpty(reader)
        let known = try reader.names().filter { $0.market.text != text }
        let meant = suggestions(for: text, among: known)
        let hint = meant.isEmpty ? "" : " (did you mean \(meant.joined(separator: ", "))?)"
        throw Complaint("find the market \(text): nothing is recorded under this id\(hint)", Exit.noSuchData)
    }

    /// Up to three ids: whose symbol or name it is, else those spelt most alike.
    static func suggestions(for text: String, among known: [HistoryReader.Name]) -> [String] {
        let wanted = text.lowercased()
        let named = known.filter {
            [$0.symbol.lowercased(), $0.name.lowercased(), $0.market.text.lowercased()].contains(wanted)
        }
        if !named.isEmpty { return Array(named.map(\.market.text).prefix(3)) }
        return Spelling.closest(to: text, among: known.map(\.market.text)).map { [$0] } ?? []
    }
}

extension Complaint {
    /// Throws (65) where no price was ever recorded.
    static func refuseEmpty(_ reader: HistoryReader) throws {
        guard try reader.isEmpty() else { return }
        throw Complaint(
            "read \(reader.path): nothing is recorded yet (start the daemon: pricewatch run; where it runs: "
                + "pricewatch status)", Exit.noSuchData)
    }
}
