import Engine
import Foundation
import GRDB
import Markets

/// A value as stored in a column: of one storage class, within bounds that exclude overflow.
///
/// SQLite converts types silently (a text becomes 0, 1.5 becomes 1), and GRDB's subscripts trap on a mismatch; neither
/// is acceptable for a damaged database.
protocol StoredValue: Sendable {
    /// Nil if the column holds anything else.
    static func decode(_ stored: DatabaseValue.Storage) -> Self?
}

/// A column holds a value that no release writes: the database is damaged.
struct UndecodableValue: Error, CustomStringConvertible {
    /// Table and column.
    let place: String
    /// Nil if there is no such column.
    let found: DatabaseValue?

    var description: String {
        found.map { "\(place) holds \($0.description.prefix(60))" } ?? "there is no column \(place)"
    }
}

/// A row with access by index, for reads of thousands of rows.
protocol IndexedRow {
    /// - Parameter place: table and column, for the error.
    func value<Value: StoredValue>(_ index: Int, _ place: String, as type: Value.Type) throws -> Value
}

extension IndexedRow {
    func value<Value: StoredValue>(_ index: Int, _ place: String) throws -> Value {
        try value(index, place, as: Value.self)
    }

    /// The price with its significand at `index` and its exponent at the next.
    func price(_ index: Int, _ place: String) throws -> Price {
        let (significand, exponent): (Int64, Int64) = (try value(index, place), try value(index + 1, place))
        guard let price = Price(significand: significand, exponent: Int(exponent)) else {
            throw UndecodableValue(place: place, found: "\(significand)e\(exponent)".databaseValue)
        }
        return price
    }

    /// The time of a quote, from its age in milliseconds when it was fetched.
    func quotedAt(_ index: Int, _ place: String, fetchedAt: Int64) throws -> Date {
        let age: Int64 = try value(index, place)
        guard let moment = Date.decode(.int64(fetchedAt - age)) else {
            throw UndecodableValue(place: place, found: age.databaseValue)
        }
        return moment
    }

    /// Milliseconds since 1970.
    func time(_ index: Int, _ place: String) throws -> Int64 { try value(index, place, as: Milliseconds.self).number }

    /// The id of a series, in the first column.
    func series() throws -> Int64 { try value(0, "series.id", as: SeriesNumber.self).number }

    func hour(_ index: Int, _ place: String) throws -> Int64 { try value(index, place, as: HourNumber.self).number }
}

extension Row: IndexedRow {
    /// The value of a column, named as `table.column`.
    func value<Value: StoredValue>(_ place: String, as type: Value.Type = Value.self) throws -> Value {
        let column = place.drop { $0 != "." }.dropFirst()
        guard hasColumn(String(column)) else { throw UndecodableValue(place: place, found: nil) }
        return try Self.decode(try decode(DatabaseValue.self, forColumn: String(column)), place)
    }

    func value<Value: StoredValue>(_ index: Int, _ place: String, as type: Value.Type) throws -> Value {
        try Self.decode(try decode(DatabaseValue.self, atIndex: index), place)
    }

    private static func decode<Value: StoredValue>(_ found: DatabaseValue, _ place: String) throws -> Value {
        guard let value = Value.decode(found.storage) else { throw UndecodableValue(place: place, found: found) }
        return value
    }
}

extension Statement {
    /// The first column of the first row; nil if there is no row.
    func value<Value: StoredValue>(
        _ place: String, _ arguments: StatementArguments = [], as type: Value.Type = Value.self
    ) throws -> Value? {
        try Row.fetchOne(self, arguments: arguments)?.value(0, place)
    }

    /// The first column of every row.
    func values<Value: StoredValue>(
        _ place: String, _ arguments: StatementArguments = [], as type: Value.Type = Value.self
    ) throws -> [Value] {
        let rows = try Row.fetchCursor(self, arguments: arguments)
        var values: [Value] = []
        while let row = try rows.next() { values.append(try row.value(0, place)) }
        return values
    }
}

extension Database {
    /// The same for a statement that is run once.
    func value<Value: StoredValue>(
        _ place: String, _ sql: String, _ arguments: StatementArguments = [], as type: Value.Type = Value.self
    ) throws -> Value? {
        try makeStatement(sql: sql).value(place, arguments)
    }

    func values<Value: StoredValue>(
        _ place: String, _ sql: String, _ arguments: StatementArguments = [], as type: Value.Type = Value.self
    ) throws -> [Value] {
        try makeStatement(sql: sql).values(place, arguments)
    }
}

extension Optional: StoredValue where Wrapped: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Wrapped?? {
        if case .null = stored { return .some(nil) }
        return Wrapped.decode(stored).map { $0 }
    }
}

extension Int64: StoredValue {
    private static let bounds: ClosedRange<Int64> = -1 << 61...1 << 61

    static func decode(_ stored: DatabaseValue.Storage) -> Int64? {
        guard case .int64(let number) = stored, bounds.contains(number) else { return nil }
        return number
    }
}

/// A count.
extension Int: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Int? {
        guard case .int64(let number) = stored, (0...1 << 53).contains(number) else { return nil }
        return Int(number)
    }
}

extension Bool: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Bool? {
        guard case .int64(let number) = stored, number == 0 || number == 1 else { return nil }
        return number == 1
    }
}

extension Double: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Double? {
        guard case .double(let number) = stored else { return nil }
        return number
    }
}

extension String: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> String? {
        guard case .string(let text) = stored else { return nil }
        return text
    }
}

extension Data: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Data? {
        guard case .blob(let bytes) = stored else { return nil }
        return bytes
    }
}

/// Milliseconds since 1970, within the years with four digits.
struct Milliseconds: StoredValue {
    let number: Int64

    private static let all: ClosedRange<Int64> = Date.distantPast.milliseconds...253_402_300_799_999

    static func decode(_ stored: DatabaseValue.Storage) -> Milliseconds? {
        Int64.decode(stored).flatMap { all.contains($0) ? Milliseconds(number: $0) : nil }
    }
}

extension Date: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Date? {
        Milliseconds.decode(stored).map { Date(milliseconds: $0.number) }
    }
}

/// Milliseconds, up to a thousand years.
extension Duration: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Duration? {
        guard case .int64(let number) = stored, (0...31_536_000_000_000).contains(number) else { return nil }
        return .milliseconds(number)
    }
}

/// Hours since 1970.
struct HourNumber: StoredValue {
    let number: Int64

    static func decode(_ stored: DatabaseValue.Storage) -> HourNumber? {
        Int64.decode(stored).flatMap { Hour.all.contains($0) ? HourNumber(number: $0) : nil }
    }
}

struct SeriesNumber: StoredValue {
    let number: Int64

    static func decode(_ stored: DatabaseValue.Storage) -> SeriesNumber? {
        Int64.decode(stored).flatMap { (1...SampleKey.largestSeries).contains($0) ? SeriesNumber(number: $0) : nil }
    }
}

/// An integer stored as text.
struct DigitText<Value: StoredValue>: StoredValue {
    let value: Value

    static func decode(_ stored: DatabaseValue.Storage) -> DigitText? {
        String.decode(stored).flatMap { Int64($0) }.flatMap { Value.decode(.int64($0)) }.map(DigitText.init)
    }
}

extension Percent: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Percent? {
        Int64.decode(stored).map(Percent.init(hundredths:))
    }
}

extension Price: StoredValue {
    /// Stored as digits.
    static func decode(_ stored: DatabaseValue.Storage) -> Price? {
        String.decode(stored).flatMap { Price(parsing: $0) }
    }
}

extension MarketID: StoredValue {
    /// An unbounded id of an earlier release is read as its beginning and a hash of the whole.
    static func decode(_ stored: DatabaseValue.Storage) -> MarketID? {
        guard let text = String.decode(stored) else { return nil }
        guard text.utf8.count > longest else { return try? MarketID(text) }
        return try? MarketID(text.cut(toBytes: longest - 32) + StableID.of([text]))
    }
}

/// A market as an earlier release may have stored it: nil for an unbounded id, which is not shown.
struct ListedMarket: StoredValue {
    let id: MarketID?

    static func decode(_ stored: DatabaseValue.Storage) -> ListedMarket? {
        guard let text = String.decode(stored) else { return nil }
        guard text.utf8.count <= MarketID.longest else { return ListedMarket(id: nil) }
        return (try? MarketID(text)).map { ListedMarket(id: $0) }
    }
}

extension Currency: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Currency? {
        String.decode(stored).flatMap { try? Currency($0) }
    }
}

extension StoredValue where Self: RawRepresentable, RawValue == String {
    /// A later release that adds a case also adds a migration, so that this release refuses its database.
    static func decode(_ stored: DatabaseValue.Storage) -> Self? { String.decode(stored).flatMap(Self.init(rawValue:)) }
}

extension AlertRule.Condition: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Self? { String.decode(stored).flatMap(Self.init(reading:)) }
}

extension AlertEvent.Kind: StoredValue {}
extension AlertReason: StoredValue {}
extension AlertRule.Severity: StoredValue {}
extension AlertRule.Condition.Direction: StoredValue {}
extension PollOutcome: StoredValue {}
extension UnknownReason: StoredValue {}
