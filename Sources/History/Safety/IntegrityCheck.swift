import GRDB

/// Reads a database from end to end.
enum IntegrityCheck {
    /// What `PRAGMA quick_check` finds wrong with the database at `path`, on a connection of its own; nil: nothing.
    static func quick(_ path: String) -> HistoryError? {
        do {
            return fault(try DatabaseFile.openForReading(path, holdingLock: true), "quick_check", path)
        } catch {
            return error.kind == .corrupt ? error : nil
        }
    }

    /// - Parameter pragma: `quick_check` or `integrity_check`.
    static func fault(_ queue: DatabaseQueue, _ pragma: String, _ path: String) -> HistoryError? {
        do {
            let found = try HistoryError.naming("check", path) {
                try queue.read { try $0.value(pragma, "PRAGMA \(pragma)(1)", as: String.self) }
            }
            guard let found, found != "ok" else { return nil }
            return HistoryError(.corrupt, "check", path, cause: found)
        } catch {
            return error.kind == .corrupt ? error : nil
        }
    }
}
