import GRDB

/// Makes a database refuse every poll, as a full disk does, until it is lifted.
struct WriteRefusal {
    private let queue: DatabaseQueue

    init(_ path: String) throws {
        queue = try DatabaseQueue(path: path)
        try queue.write { db in
            for (table, change) in [("poll", "INSERT"), ("message", "DELETE"), ("message", "UPDATE")] {
                try db.execute(
                    sql: """
                        CREATE TRIGGER refuse_\(table)_\(change) BEFORE \(change) ON \(table)
                        BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
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
