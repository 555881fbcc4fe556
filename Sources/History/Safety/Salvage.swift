import GRDB

/// Brings over what can still be read of a damaged database's states, so that what was announced is not announced
/// again. Prices and candles stay behind: they are many, and their owner may restore them.
enum Salvage {
    private static let leftBehind: Set<String> = [
        "grdb_migrations", "sqlite_sequence", "poll", "sample", "turn", "unknown", "watch", "candle", "stated",
        "healed",
    ]

    static func states(from damaged: String, into queue: DatabaseQueue) {
        // Whatever fails is what the damage took.
        try? queue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ? AS damaged", arguments: [damaged])
            defer { try? db.execute(sql: "DETACH DATABASE damaged") }
            let tables = try String.fetchAll(db, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table'")
            for table in tables where !leftBehind.contains(table) {
                let columns = try db.columns(in: table).map { "\"\($0.name)\"" }.joined(separator: ", ")
                try? db.execute(
                    sql:
                        "INSERT OR REPLACE INTO main.\"\(table)\" (\(columns)) SELECT \(columns) FROM damaged.\"\(table)\""
                )
            }
            try db.execute(sql: "UPDATE series SET newest_candle = NULL")
            try db.execute(sql: "UPDATE setting SET value = '0' WHERE name = 'candles_until'")
        }
    }
}
