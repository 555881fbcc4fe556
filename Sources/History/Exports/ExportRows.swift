import Engine
import Foundation
import GRDB
import Markets

/// Rows of the table `export`.
enum ExportRows {
    /// `lost` is counted by the pruning alone.
    static func write(_ export: StoredExport, named name: String, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO export (name, address, poll, sent, refused, lost) VALUES (?, ?, ?, ?, ?, 0)
            ON CONFLICT (name) DO UPDATE SET address = excluded.address, poll = excluded.poll, sent = excluded.sent,
                refused = excluded.refused
            """, [name, export.address, export.poll, export.sent, export.refused])
    }

    /// Adds the samples of a poll, before it is deleted, to those that exports lose.
    static func countLost(in poll: Int64, _ db: Database) throws {
        try db.run(
            """
            UPDATE export SET lost = lost + (
                SELECT count(*) FROM sample WHERE id BETWEEN ?1 << 20 AND (?1 << 20) + 1048575 AND confirmed)
            WHERE poll < ?1
            """, [poll])
    }

    /// By name.
    static func lost(_ db: Database) throws -> [String: Int] {
        let rows: [(String, Int)] = try db.all("SELECT name, lost FROM export") { (try $0.value(0), try $0.value(1)) }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }
}

extension HistoryReader {
    /// What is known of these exports, and what is to be sent.
    func exports(_ names: [String]) throws(HistoryError) -> [String: RememberedExport] {
        guard !names.isEmpty else { return [:] }
        return try read { db in
            let newest = try db.value("SELECT max(id) FROM poll") ?? Int64(0)
            var found: [String: RememberedExport] = [:]
            for name in names { found[name] = RememberedExport() }
            try db.rows("SELECT * FROM export") { row in
                let name: String = try row.value("name")
                guard found[name] != nil else { return }
                var stored = try StoredExport(row)
                // It comes from another database.
                if stored.poll > newest { stored.poll = 0 }
                found[name] = RememberedExport(stored: stored)
                found[name]?.lost = try row.value("lost")
            }
            for name in names {
                let sent = found[name]?.stored?.poll ?? 0
                found[name]?.pending = try db.value("SELECT sum(samples) FROM poll WHERE id > ?", [sent]) ?? 0
                found[name]?.oldest = try ExportReading.firstAnswer(behind: sent, db)
            }
            return found
        }
    }
}
