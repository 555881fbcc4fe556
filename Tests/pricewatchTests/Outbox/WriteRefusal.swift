import GRDB

/// Makes a database refuse every poll, as a full disk does, until it is lifted. A trigger that aborts would be damage;
/// what is too large for SQLite is none.
struct WriteRefusal {
    private let queue: DatabaseQueue

    init(_ path: String) throws {
        // The daemon may be writing at this moment.
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            for (table, change) in [("poll", "INSERT"), ("message", "DELETE"), ("message", "UPDATE")] {
                try db.execute(
                    sql: """
                        CREATE TRIGGER refuse_\(table)_\(change) BEFORE \(change) ON \(table)
                        BEGIN SELECT zeroblob(2000000000); END
                        """)
            }
        }
    }

    func lift() throws {
        try queue.write { db in
            for trigger in try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
                try db.execute(sql: "DROP TRIGGER \(trigger)")
            }
        }
    }
}
