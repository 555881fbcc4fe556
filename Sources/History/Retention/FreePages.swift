import GRDB

/// The database's disk use, in pages.
extension HistoryWriter {
    func pages(_ db: Database) throws -> (free: Int64, all: Int64) {
        (
            try db.value("freelist_count", "PRAGMA freelist_count") ?? 0,
            try db.value("page_count", "PRAGMA page_count") ?? 0
        )
    }

    /// Bytes that cannot be returned to the file system, including the WAL's share.
    func bytesInUse(_ db: Database) throws -> Int64 {
        let (free, all) = try pages(db)
        return (all - free) * (try pageSize(db)) + logAllowance
    }

    /// Bytes of the database, including free pages and the WAL's share.
    func bytesReserved(_ db: Database) throws -> Int64 { try pages(db).all * pageSize(db) + logAllowance }

    /// Returns free pages to the file system. Returns the number of pages.
    func giveBack(_ db: Database, pages count: Int) throws -> Int {
        let before = try pages(db).all
        try db.execute(sql: "PRAGMA incremental_vacuum(\(max(1, count)))")
        return Int(before - (try pages(db).all))
    }

    /// Checkpoints the WAL, as far as no reader needs it, and truncates it.
    func foldLog(_ queue: DatabaseQueue) throws(HistoryError) {
        do {
            try queue.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return  // a reader is at it; the next checkpoint comes by itself
        } catch {
            try HistoryError.naming("fold the log of", path) { throw error }
        }
    }

    private func pageSize(_ db: Database) throws -> Int64 { try db.value("page_size", "PRAGMA page_size") ?? 4096 }

    /// The WAL's size between two checkpoints, in bytes.
    private var logAllowance: Int64 { Int64(DatabaseFile.logPages) * 4096 }
}
