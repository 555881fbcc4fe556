import Foundation
import GRDB
import GRDBSQLite
import Markets

/// The current row of a running statement. Its values are read without boxing: a summary reads tens of thousands.
struct StoredRow {
    fileprivate let handle: SQLiteStatement

    func value<Value: StoredValue>(_ column: Int, as type: Value.Type = Value.self) throws -> Value {
        let isInteger = sqlite3_column_type(handle, CInt(column)) == SQLITE_INTEGER
        let stored = isInteger ? .int64(sqlite3_column_int64(handle, CInt(column))) : stored(column).storage
        guard let value = Value.decode(stored) else { throw undecodable(column) }
        return value
    }

    func value<Value: StoredValue>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        try value(try column(name))
    }

    func column(_ name: String) throws -> Int {
        let column = (0..<count).first { strcmp(sqlite3_column_name(handle, CInt($0)), name) == 0 }
        guard let column else { throw UndecodableValue(column: [table(of: 0), name], found: nil) }
        return column
    }

    /// Every column, unchecked.
    var stored: [DatabaseValue] { (0..<count).map { stored($0) } }

    private var count: Int { Int(sqlite3_column_count(handle)) }

    private func stored(_ column: Int) -> DatabaseValue { DatabaseValue(sqliteStatement: handle, index: CInt(column)) }

    private func undecodable(_ column: Int) -> UndecodableValue {
        let name = String(cString: sqlite3_column_name(handle, CInt(column)))
        return UndecodableValue(column: [table(of: column), name], found: stored(column))
    }

    /// Nil for a computed column.
    private func table(of column: Int) -> String? {
        sqlite3_column_table_name(handle, CInt(column)).map { String(cString: $0) }
    }
}

extension StoredRow {
    func number(_ column: Int, in bounds: ClosedRange<Int64> = Int64.stored) throws -> Int64 {
        let number = sqlite3_column_int64(handle, CInt(column))
        guard sqlite3_column_type(handle, CInt(column)) == SQLITE_INTEGER, bounds.contains(number) else {
            throw undecodable(column)
        }
        return number
    }

    /// Milliseconds since 1970.
    func time(_ column: Int) throws -> Int64 { try number(column, in: Date.stored) }

    /// Hours since 1970.
    func hour(_ column: Int) throws -> Int64 { try number(column, in: Hour.all) }

    /// An integer stored as text.
    func digits(_ column: Int, in bounds: ClosedRange<Int64>) throws -> Int64 {
        guard let number = Int64(try value(column, as: String.self)), bounds.contains(number) else {
            throw undecodable(column)
        }
        return number
    }

    /// The number of a series.
    func series(_ column: Int) throws -> Int64 { try number(column, in: 1...SampleKey.largestSeries) }

    /// The number of the series in the id of a sample.
    func seriesOfSample(_ column: Int) throws -> Int64 { SampleKey.series(try number(column)) }

    /// The price with its significand at `column` and its exponent at the next.
    func price(_ column: Int) throws -> Price {
        let (significand, exponent) = (try number(column), try number(column + 1))
        guard let price = Price(significand: significand, exponent: Int(exponent)) else { throw undecodable(column) }
        return price
    }

    /// The time of a quote, from its age in milliseconds when it was fetched.
    func quotedAt(_ column: Int, fetchedAt: Int64) throws -> Date {
        let moment = fetchedAt - (try number(column))
        guard Date.stored.contains(moment) else { throw undecodable(column) }
        return Date(milliseconds: moment)
    }
}

extension Database {
    /// Passes the rows of a query to `body`. Must not be nested with the same query.
    func rows(_ sql: String, _ arguments: StatementArguments = [], _ body: (StoredRow) throws -> Void) throws {
        let statement = try cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        let handle = statement.sqliteStatement
        defer { sqlite3_reset(handle) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try body(StoredRow(handle: handle))
            case SQLITE_DONE: return
            case let code: throw failure(code)
            }
        }
    }

    /// What `make` makes of each row; rows without are left out.
    func all<T>(
        _ sql: String, _ arguments: StatementArguments = [], _ make: (StoredRow) throws -> T?
    ) throws -> [T] {
        var found: [T] = []
        try rows(sql, arguments) { row in
            if let made = try make(row) { found.append(made) }
        }
        return found
    }

    /// The first column of every row.
    func values<Value: StoredValue>(
        _ sql: String, _ arguments: StatementArguments = [], as type: Value.Type = Value.self
    ) throws -> [Value] {
        // Without the type it would be read as an optional, and a null would be left out.
        try all(sql, arguments) { try $0.value(0, as: type) }
    }

    /// The first column of the first row; nil if there is no row, or its value is null.
    func value<Value: StoredValue>(
        _ sql: String, _ arguments: StatementArguments = [], as type: Value.Type = Value.self
    ) throws -> Value? {
        try all(sql, arguments) { try $0.value(0, as: Value?.self) }.first
    }

    /// Runs a statement that changes rows.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    fileprivate func failure(_ code: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
    }
}

/// Inserts samples, with arguments bound without boxing: most writes are samples, and GRDB's arguments cost as much as
/// SQLite's own work on them.
struct SampleInsert {
    private let db: Database
    private let handle: SQLiteStatement

    init(_ db: Database) throws {
        self.db = db
        handle = try db.cachedStatement(
            sql: "INSERT INTO sample (id, significand, exponent, age, confirmed) VALUES (?, ?, ?, ?, ?)"
        ).sqliteStatement
    }

    /// - Parameter age: of the quote when it was fetched, in milliseconds.
    func insert(poll: Int64, series: Int64, _ price: Price, age: Int64, confirmed: Bool) throws {
        sqlite3_bind_int64(handle, 1, SampleKey.id(poll: poll, series: series))
        sqlite3_bind_int64(handle, 2, price.significand)
        sqlite3_bind_int64(handle, 3, Int64(price.exponent))
        sqlite3_bind_int64(handle, 4, age)
        sqlite3_bind_int64(handle, 5, confirmed ? 1 : 0)
        let result = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard result == SQLITE_DONE else { throw db.failure(result) }
    }
}
