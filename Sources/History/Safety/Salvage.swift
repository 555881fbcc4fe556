import GRDB

/// Brings over what can still be read of a damaged database's states, so that what was announced is not announced
/// again. Prices and candles stay behind: they are many, and their owner may restore them.
enum Salvage {
    /// The damaged database and its log stay as they are.
    static func states(from damaged: String, into queue: DatabaseQueue) {
        // What fails is what the damage took.
        guard let damaged = try? DatabaseFile.openForReading(damaged, holdingLock: true) else { return }
        try? damaged.read { old in
            try queue.write { new in
                for table in StateTables.all { try? copy(table, from: old, to: new) }
                try new.execute(sql: "UPDATE series SET newest_candle = NULL")
                try new.execute(sql: "UPDATE setting SET value = '0' WHERE name = 'candles_until'")
            }
        }
    }

    /// Copies row by row, up to where the table can no longer be read.
    private static func copy(_ table: StateTables.Table, from old: Database, to new: Database) throws {
        // An earlier release knew fewer columns.
        let known = Set(try old.columns(in: table.name).map(\.name))
        let names = try new.columns(in: table.name).map(\.name).filter(known.contains)
        let insert = try new.makeStatement(
            sql: """
                INSERT OR REPLACE INTO \(table.name) (\(names.joined(separator: ", ")))
                VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
                """)
        let rows = try Row.fetchCursor(old, sql: "SELECT * FROM \(table.name)")
        while let row = try rows.next() {
            guard (try? table.check(row)) != nil else { continue }
            let values = try names.map { try row.decode(DatabaseValue.self, forColumn: $0) }
            try? insert.execute(arguments: StatementArguments(values))
        }
    }
}
