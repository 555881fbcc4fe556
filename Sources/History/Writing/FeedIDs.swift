import GRDB

/// The small numbers that stand for feeds in the polls.
enum FeedIDs {
    /// The number of this feed, made where it has none.
    static func id(of feed: String, _ db: Database) throws -> Int64 {
        let find = try db.cachedStatement(sql: "SELECT id FROM feed WHERE name = ?")
        if let id: Int64 = try find.value("feed.id", [feed]) { return id }
        try db.execute(sql: "INSERT INTO feed (name) VALUES (?)", arguments: [feed])
        return db.lastInsertedRowID
    }
}
