import Engine
import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// The silences in force, and those whose end is not yet told.
    public func silences() throws(HistoryError) -> [Silence] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM silence ORDER BY id").map(Silence.init)
        }
    }
}

extension Silence {
    /// - Parameter row: of the table `silence`.
    init(_ row: Row) throws {
        self.init(
            id: try row.value("silence.id"), rule: try row.value("silence.rule"),
            market: try row.value("silence.market"), since: try row.value("silence.since"),
            until: try row.value("silence.until"))
    }
}
