import GRDB
import GRDBSQLite

/// A prepared statement whose values are all integers, bound without boxing: the samples of a poll are most of
/// what is ever written, and GRDB's arguments cost as much as SQLite's own work on them.
struct IntegerInsert {
    private let statement: Statement
    private let connection: SQLiteConnection?

    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        connection = db.sqliteConnection
    }

    func run(_ values: Int64...) throws {
        let handle = statement.sqliteStatement
        for (index, value) in values.enumerated() { sqlite3_bind_int64(handle, CInt(index + 1), value) }
        let result = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard result == SQLITE_DONE else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: result),
                message: connection.map { String(cString: sqlite3_errmsg($0)) })
        }
    }
}
