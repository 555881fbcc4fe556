import Foundation
import GRDB

/// What becomes of messages between the polls, each in a short transaction of its own.
extension HistoryWriter {
    /// These wait no longer: they were delivered, or given up.
    public func settle(_ messages: [String]) throws(HistoryError) {
        try write("settle messages in") { db in
            for message in messages { try remove(message, db) }
        }
    }

    /// It was tried in vain so often, for this reason the last time, and is not tried again before `until`.
    public func postpone(_ message: String, attempts: Int, until: Date, error: String?) throws(HistoryError) {
        try write("postpone a message in") { db in
            let update = try db.cachedStatement(
                sql: "UPDATE message SET attempts = ?, not_before = ?, last_error = ? WHERE message_id = ?")
            try update.execute(arguments: [attempts, until.milliseconds, error, message])
        }
    }

    /// Puts `whole`, which tells of all their events, in the place of messages that were held, the first of them first.
    public func join(_ held: [String], into whole: QueuedMessage) throws(HistoryError) {
        guard let first = held.first else { return }
        try write("join messages in") { db in
            let become = try db.cachedStatement(
                sql: "UPDATE message SET message_id = ?, held = ?, created_at = ? WHERE message_id = ?")
            try become.execute(arguments: [whole.id, whole.isHeld, whole.createdAt.milliseconds, first])
            let move = try db.cachedStatement(
                sql: """
                    UPDATE OR IGNORE message_event SET message = (SELECT id FROM message WHERE message_id = ?)
                    WHERE message = (SELECT id FROM message WHERE message_id = ?)
                    """)
            for message in held.dropFirst() {
                try move.execute(arguments: [whole.id, message])
                try remove(message, db)
            }
        }
    }
}
