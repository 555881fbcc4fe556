import GRDB
import GRDBSQLite

/// A prepared statement of five values that are all integers, bound without boxing: the samples of a poll are most of
/// what is ever written, and GRDB's arguments cost as much as SQLite's own work on them.
struct IntegerInsert {
    private let statement: Statement
    private let connection: SQLiteConnection?

    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        connection = db.sqliteConnection
    }

    func run(_ first: Int64, _ second: Int64, _ third: Int64, _ fourth: Int64, _ fifth: Int64) throws {
        let handle = statement.sqliteStatement
        sqlite3_bind_int64(handle, 1, first)
        sqlite3_bind_int64(handle, 2, second)
        sqlite3_bind_int64(handle, 3, third)
        sqlite3_bind_int64(handle, 4, fourth)
        sqlite3_bind_int64(handle, 5, fifth)
        let result = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard result == SQLITE_DONE else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: result),
                message: connection.map { String(cString: sqlite3_errmsg($0)) })
        }
    }
}
