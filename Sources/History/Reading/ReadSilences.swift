import Foundation
import GRDB
public import Markets

extension HistoryReader {
    /// The silences in force, and those whose end is not yet told.
    public func silences() throws(HistoryError) -> [Silence] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT id, rule, market, since, until FROM silence ORDER BY id").compactMap(
                Silence.init)
        }
    }
}

extension Silence {
    init?(_ row: Row) {
        let text: String? = row["market"]
        let market = text.flatMap { try? MarketID($0) }
        // A market that cannot be read must not become every market.
        guard (text == nil) == (market == nil) else { return nil }
        self.init(
            id: row["id"], rule: row["rule"], market: market, since: Date(milliseconds: row["since"]),
            until: Date(milliseconds: row["until"]))
    }
}
