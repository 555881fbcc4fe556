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

extension Optional: StoredValue where Wrapped: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Wrapped?? {
        if case .null = stored { return .some(nil) }
        return Wrapped.decode(stored).map { $0 }
    }
}

extension DatabaseValue.Storage {
    fileprivate func number(in bounds: ClosedRange<Int64>) -> Int64? {
        guard case .int64(let number) = self, bounds.contains(number) else { return nil }
        return number
    }

    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}

extension Int64: StoredValue {
    static let stored: ClosedRange<Int64> = -1 << 61...1 << 61

    static func decode(_ stored: DatabaseValue.Storage) -> Int64? { stored.number(in: Self.stored) }
}

/// A count.
extension Int: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Int? { stored.number(in: 0...1 << 53).map { Int($0) } }
}

extension Bool: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Bool? { stored.number(in: 0...1).map { $0 == 1 } }
}

/// Milliseconds since 1970, within the years with four digits.
extension Date: StoredValue {
    static let stored: ClosedRange<Int64> = Date.distantPast.milliseconds...253_402_300_799_999

    static func decode(_ stored: DatabaseValue.Storage) -> Date? {
        stored.number(in: Self.stored).map { Date(milliseconds: $0) }
    }
}

/// Milliseconds, up to a thousand years.
extension Duration: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Duration? {
        stored.number(in: 0...31_536_000_000_000).map { .milliseconds($0) }
    }
}

extension Percent: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Percent? {
        Int64.decode(stored).map(Percent.init(hundredths:))
    }
}

extension Double: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Double? {
        guard case .double(let number) = stored else { return nil }
        return number
    }
}

extension Data: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Data? {
        guard case .blob(let bytes) = stored else { return nil }
        return bytes
    }
}

extension String: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> String? { stored.text }
}

extension Price: StoredValue {
    /// Stored as digits.
    static func decode(_ stored: DatabaseValue.Storage) -> Price? { stored.text.flatMap { Price(parsing: $0) } }
}

extension Currency: StoredValue {
    static func decode(_ stored: DatabaseValue.Storage) -> Currency? { stored.text.flatMap { try? Currency($0) } }
}

extension MarketID: StoredValue {
    /// An unbounded id of an earlier release is read as its beginning and a hash of the whole.
    static func decode(_ stored: DatabaseValue.Storage) -> MarketID? {
        guard let text = stored.text else { return nil }
        guard text.utf8.count > longest else { return try? MarketID(text) }
        return try? MarketID(text.cut(toBytes: longest - 32) + StableID.of([text]))
    }
}

extension StoredValue where Self: RawRepresentable, RawValue == String {
    /// A later release that adds a case also adds a migration, so that this release refuses its database.
    static func decode(_ stored: DatabaseValue.Storage) -> Self? { stored.text.flatMap(Self.init(rawValue:)) }
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
