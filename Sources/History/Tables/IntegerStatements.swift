import GRDB
import GRDBSQLite

/// Reads rows whose columns are all integers without boxing: a summary reads tens of thousands.
struct IntegerRows {
    private let statement: Statement
    private let connection: SQLiteConnection?

    /// The current row.
    struct Row: IndexedRow {
        fileprivate let handle: SQLiteStatement

        func value<Value: StoredValue>(_ index: Int, _ place: String, as type: Value.Type) throws -> Value {
            guard sqlite3_column_type(handle, CInt(index)) == SQLITE_INTEGER,
                let value = Value.decode(.int64(sqlite3_column_int64(handle, CInt(index))))
            else {
                throw UndecodableValue(
                    place: place, found: DatabaseValue(sqliteStatement: handle, index: CInt(index)))
            }
            return value
        }
    }

    init(_ db: Database, _ statement: Statement, _ arguments: [Int64]) throws {
        self.statement = statement
        connection = db.sqliteConnection
        try statement.setArguments(StatementArguments(arguments))
    }

    func walk(_ body: (Row) throws -> Void) throws {
        let handle = statement.sqliteStatement
        defer { sqlite3_reset(handle) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try body(Row(handle: handle))
            case SQLITE_DONE: return
            case let code:
                throw DatabaseError(
                    resultCode: ResultCode(rawValue: code),
                    message: connection.map { String(cString: sqlite3_errmsg($0)) })
            }
        }
    }
}

/// A prepared statement with five integer arguments, bound without boxing: most writes are samples, and GRDB's
/// arguments cost as much as SQLite's own work on them.
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
