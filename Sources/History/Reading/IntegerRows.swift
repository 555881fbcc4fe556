import GRDB
import GRDBSQLite

/// The rows of a statement whose columns are all integers, read without boxing: a summary reads tens of thousands.
struct IntegerRows {
    private let statement: Statement
    private let connection: SQLiteConnection?

    /// The row at hand.
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
