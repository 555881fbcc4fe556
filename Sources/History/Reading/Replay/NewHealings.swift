import GRDB

/// Tells which turns brought healed prices into the windows that were not there before.
struct NewHealings {
    private var counted: Int64 = 0

    /// Whether something was healed before the turn of this number, and since the one that was asked for last.
    mutating func arrived(before turn: Int64, _ db: Database) throws -> Bool {
        let find = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM poll WHERE id > ? AND id < ? AND backfilled)")
        defer { counted = turn }
        return try find.value("poll", [counted, turn]) == true
    }
}
