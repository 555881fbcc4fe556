import GRDB

/// Copies the readable states of a damaged database to a new one, so that no event is announced twice. Prices and
/// candles are not copied: there are many, and the owner may restore them from a backup.
enum Recovery {
    /// Leaves the damaged database and its WAL unchanged.
    static func states(from damaged: String, into queue: DatabaseQueue) {
        // Errors are expected: what cannot be read is lost.
        guard let damaged = try? DatabaseFile.openForReading(damaged, holdingLock: true) else { return }
        try? damaged.read { old in
            try queue.write { new in
                for table in StateTables.all { try? copy(table, from: old, to: new) }
                try new.execute(sql: "UPDATE series SET newest_candle = NULL")
                try new.execute(sql: "UPDATE setting SET value = '0' WHERE name = 'candles_until'")
            }
        }
    }

    /// Copies row by row, up to the first unreadable row.
    private static func copy(_ table: StateTables.Table, from old: Database, to new: Database) throws {
        // An earlier release had fewer columns.
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

/// Reads a database from end to end.
enum IntegrityCheck {
    /// Runs `PRAGMA quick_check` on the database at `path`, on its own connection. Returns the damage; nil if there is
    /// none.
    static func quick(_ path: String) -> HistoryError? {
        do {
            return fault(try DatabaseFile.openForReading(path, holdingLock: true), "quick_check", path)
        } catch {
            return error.kind == .corrupt ? error : nil
        }
    }

    /// - Parameter pragma: `quick_check` or `integrity_check`.
    static func fault(_ queue: DatabaseQueue, _ pragma: String, _ path: String) -> HistoryError? {
        do {
            let found = try HistoryError.naming("check", path) {
                try queue.read { try $0.value(pragma, "PRAGMA \(pragma)(1)", as: String.self) }
            }
            guard let found, found != "ok" else { return nil }
            return HistoryError(.corrupt, "check", path, cause: found)
        } catch {
            return error.kind == .corrupt ? error : nil
        }
    }
}
