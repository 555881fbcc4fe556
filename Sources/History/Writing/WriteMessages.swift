import Engine
import Foundation
import GRDB
import Markets

/// Writes the messages of a commit.
extension HistoryWriter {
    /// - Parameter newEvents: the ids of the events that are new with this commit.
    func apply(_ change: OutboxChange, newEvents: Set<String>, _ db: Database) throws {
        switch change {
        case .queue(let message): try queue(message, newEvents: newEvents, db)
        case .postpone(let message):
            try db.run(
                "UPDATE message SET attempts = ?, not_before = ?, last_error = ? WHERE message_id = ?",
                [message.attempts, message.notBefore?.milliseconds, message.lastError, message.id])
        case .join(let held, let whole): try join(held, into: whole, db)
        case .remove(let id): try remove(message: id, db)
        }
    }

    /// Skips a message whose events all existed before: it was queued with them, and may have been sent since.
    private func queue(_ message: OutgoingMessage, newEvents: Set<String>, _ db: Database) throws {
        let queued = message.queued
        guard queued.events.isEmpty || queued.events.contains(where: { newEvents.contains($0.id) }) else { return }
        try db.run(
            """
            INSERT OR IGNORE INTO message (message_id, channel, created_at, held, attempts, not_before, last_error, note)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                queued.id, queued.channel, queued.createdAt.milliseconds, queued.isHeld, queued.attempts,
                queued.notBefore?.milliseconds, queued.lastError, try message.contents.note.map(JSONEncoder().encode),
            ])
        // A message with this id is already queued.
        guard db.changesCount > 0 else { return }
        let row = db.lastInsertedRowID
        for event in queued.events {
            try db.run(
                "INSERT OR IGNORE INTO message_event (message, event) SELECT ?, id FROM event WHERE event_id = ?",
                [row, event.id])
        }
    }

    /// Replaces the held messages with `whole`, which has all their events and the queue position of the first.
    private func join(_ held: [String], into whole: QueuedMessage, _ db: Database) throws {
        var isThere = false
        for message in held {
            if isThere {
                try db.run(
                    """
                    UPDATE OR IGNORE message_event SET message = (SELECT id FROM message WHERE message_id = ?)
                    WHERE message = (SELECT id FROM message WHERE message_id = ?)
                    """, [whole.id, message])
                try remove(message: message, db)
            } else {
                try db.run(
                    "UPDATE message SET message_id = ?, held = ?, created_at = ? WHERE message_id = ?",
                    [whole.id, whole.isHeld, whole.createdAt.milliseconds, message])
                isThere = db.changesCount > 0
            }
        }
    }

    private func remove(message id: String, _ db: Database) throws {
        try db.run(
            "DELETE FROM message_event WHERE message = (SELECT id FROM message WHERE message_id = ?)", [id])
        try db.run("DELETE FROM message WHERE message_id = ?", [id])
    }
}
