import Foundation
import GRDB
import TestSupport

/// One way to damage a closed database.
struct Mutation: CustomStringConvertible, Sendable {
    let description: String
    let apply: @Sendable (_ path: String) throws -> Void
}

extension Mutation {
    private static let refusals: [ResultCode] = [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_CORRUPT]

    /// What SQLite refuses, such as dropping a column that an index needs, leaves the database as it was.
    private init(sql description: String, _ change: @escaping @Sendable (Database) throws -> Void) {
        self.init(description: description) { path in
            let queue = try DatabaseQueue(path: path)
            do {
                try queue.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA legacy_alter_table = ON; PRAGMA ignore_check_constraints = ON")
                    try change(db)
                }
            } catch let error as DatabaseError where Self.refusals.contains(error.resultCode) {}
            try queue.close()
        }
    }

    /// Puts a value into a column whatever its type and its constraints say.
    ///
    /// - Parameter row: the place of the row whose value is replaced, with all that equal it; nil: every row.
    static func value(_ value: DatabaseValue, in table: String, _ column: String, row: Int? = nil) -> Mutation {
        Mutation(sql: "\(table).\(column) = \(value)\(row.map { " in row \($0)" } ?? "")") { db in
            let find = "SELECT sql FROM sqlite_schema WHERE name = ?"
            let sql = try String.fetchOne(db, sql: find, arguments: [table]) ?? ""
            // A rowid has its name from its type alone.
            var loose = sql.replacing(" NOT NULL", with: "").replacing("INTEGER PRIMARY KEY", with: "@")
            for type in [" INTEGER", " TEXT", " REAL", " BLOB"] { loose = loose.replacing(type, with: "") }
            func become(_ sql: String) throws {
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(sql: "UPDATE sqlite_schema SET sql = ? WHERE name = ?", arguments: [sql, table])
                try db.execute(sql: "PRAGMA writable_schema = RESET")
            }
            try become(loose.replacing("@", with: "INTEGER PRIMARY KEY"))
            let rows = row.map { "WHERE \(column) IS (SELECT \(column) FROM \(table) LIMIT 1 OFFSET \($0))" } ?? ""
            defer { try? become(sql) }
            try db.execute(sql: "UPDATE OR IGNORE \(table) SET \(column) = ? \(rows)", arguments: [value])
        }
    }

    static func sql(_ sql: String) -> Mutation { Mutation(sql: sql) { try $0.execute(sql: sql) } }

    static func abort(_ change: String, on table: String) -> Mutation {
        .sql("CREATE TRIGGER refusal BEFORE \(change) ON \(table) BEGIN SELECT RAISE(ABORT, 'refused'); END")
    }

    /// Replaces a letter of the text that a table, an index or a view was made with.
    static func schema(_ name: String, letter: Int, by replacement: UInt8) -> Mutation {
        Mutation(sql: "letter \(letter) of the schema of \(name) = \(replacement)") { db in
            let find = "SELECT sql FROM sqlite_schema WHERE name = ?"
            var text = Array((try String.fetchOne(db, sql: find, arguments: [name]) ?? "").utf8)
            guard !text.isEmpty else { return }
            text[letter % text.count] = replacement
            try db.execute(sql: "PRAGMA writable_schema = ON")
            try db.execute(
                sql: "UPDATE sqlite_schema SET sql = ? WHERE name = ?",
                arguments: [String(decoding: text, as: UTF8.self), name])
        }
    }

    /// Flips bits of the file, or of one beside it.
    static func flip(_ places: [(byte: Int, bit: Int)], suffix: String = "") -> Mutation {
        let words = places.map { "\($0.byte).\($0.bit)" }.joined(separator: ", ")
        return Mutation(description: "bits \(words) flipped in the \(suffix.isEmpty ? "file" : "log")") { path in
            let file = URL(fileURLWithPath: path + suffix)
            var bytes = try Data(contentsOf: file)
            guard !bytes.isEmpty else { return }
            for (byte, bit) in places { bytes[byte % bytes.count] ^= 1 << UInt8(bit) }
            try bytes.write(to: file)
        }
    }

    static func cut(to share: Double) -> Mutation {
        Mutation(description: "cut to \(share) of its length") { path in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            try bytes.prefix(Int(Double(bytes.count) * share)).write(to: URL(fileURLWithPath: path))
        }
    }
}

/// Mutations without end, the same for the same seed.
struct Mutations {
    private let tables: [(table: String, columns: [String])]
    private let hasLog: Bool
    private var random: SeededNumbers

    /// - Parameter path: the good database, for the names of its tables.
    init(of path: String, seed: UInt64, hasLog: Bool) throws {
        tables = try FilledDatabase.columns(of: path)
        random = SeededNumbers(seed)
        self.hasLog = hasLog
    }

    private static let values: [DatabaseValue] = [
        .null, 0.databaseValue, (-1).databaseValue, 7.databaseValue, Int64.max.databaseValue,
        Int64.min.databaseValue, (1 << 43).databaseValue, 1_795_255_200.databaseValue, 1.5.databaseValue,
        Double.infinity.databaseValue, "".databaseValue, "abc".databaseValue, "5abc".databaseValue,
        String(repeating: "x", count: 5000).databaseValue, "a\u{202E}b".databaseValue,
        Data([0xFF, 0, 0x80]).databaseValue,
    ]

    mutating func next() -> Mutation {
        // The log would be folded into the file by a change through SQLite.
        let kind = hasLog ? 18 : Int.random(in: 0..<24, using: &random)
        let (table, columns) = pick(tables)
        let column = pick(columns)
        switch kind {
        case 0..<12:
            let row = Bool.random(using: &random) ? Int.random(in: 0..<8, using: &random) : nil
            return .value(pick(Self.values), in: table, column, row: row)
        case 12: return .sql("DROP TABLE \(table)")
        case 13: return .sql("ALTER TABLE \(table) RENAME TO other")
        case 14: return .sql("ALTER TABLE \(table) RENAME COLUMN \(column) TO other")
        case 15: return .sql("ALTER TABLE \(table) DROP COLUMN \(column)")
        case 16: return .abort(pick(["INSERT", "UPDATE", "DELETE"]), on: table)
        case 17:
            return .schema(
                table, letter: Int.random(in: 0..<2000, using: &random), by: UInt8.random(in: 32...126, using: &random))
        case 18..<22:
            let places = (0...Int.random(in: 0...2, using: &random)).map { _ in
                (Int.random(in: 0..<1_000_000, using: &random), Int.random(in: 0..<8, using: &random))
            }
            return .flip(places, suffix: hasLog && Bool.random(using: &random) ? "-wal" : "")
        case 22:
            // Its first page says what the file is, and where everything lies.
            return .flip(
                [(Int.random(in: 0..<100, using: &random), Int.random(in: 0..<8, using: &random))])
        default: return .cut(to: Double.random(in: 0..<1, using: &random))
        }
    }

    private mutating func pick<T>(_ all: [T]) -> T { all[Int.random(in: 0..<all.count, using: &random)] }
}
