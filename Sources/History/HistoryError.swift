import GRDB

/// A failure of the history on disk: operation, object, cause and, where known, a hint.
package struct HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// Another daemon holds the database.
        case locked(pid: Int32)
        /// There is no database at this path.
        case absent
        /// A newer release wrote it.
        case newerSchema
        /// It is another program's database.
        case foreign
        /// Its content is damaged.
        case corrupt
        /// The disk is full or read-only.
        case unwritable
        /// It belongs to another user, and this one may not write it.
        case closed
        /// This file cannot be a backup of the database.
        case invalidTarget
        /// Any other failure to read or write.
        case other
    }

    package let kind: Kind
    package let operation: String
    package let path: String
    package let cause: String
    package let hint: String?

    package init(_ kind: Kind, _ operation: String, _ path: String, cause: String, hint: String? = nil) {
        self.kind = kind
        self.operation = operation
        self.path = path
        self.cause = cause
        self.hint = hint
    }

    package var description: String {
        "\(operation) \(path): \(cause)" + (hint.map { " (\($0))" } ?? "")
    }
}

extension HistoryError {
    /// Runs `body` and adds operation and object to the errors of SQLite.
    static func naming<T>(_ operation: String, _ path: String, _ body: () throws -> T) throws(HistoryError) -> T {
        do {
            return try body()
        } catch let error as HistoryError {
            throw error
        } catch let error as DatabaseError {
            throw HistoryError(error, operation, path)
        } catch let error as UndecodableValue {
            throw damaged(operation, path, error.description)
        } catch let error as FileFault {
            throw HistoryError(.unwritable, operation, path, cause: error.cause)
        } catch {
            throw HistoryError(.other, operation, path, cause: String(describing: error))
        }
    }

    private static func damaged(_ operation: String, _ path: String, _ cause: String) -> HistoryError {
        HistoryError(.corrupt, operation, path, cause: "the database is damaged: \(cause)", hint: restoring)
    }

    private static let restoring = "set it aside and restore a backup"

    /// True where the schema or its format was altered: our statements fit our tables, which have no triggers, so a
    /// missing table or column, or a constraint that is not ours, is damage.
    private static func isDamage(_ error: DatabaseError, _ message: String) -> Bool {
        if error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER { return true }
        return error.resultCode == .SQLITE_ERROR
            && [
                "no such table", "no such column", "has no column named", "cannot join using column", "already exists",
                "integer overflow", "unsupported file format",
            ].contains(where: message.contains)
    }

    static func closed(_ operation: String, _ path: String) -> HistoryError {
        HistoryError(.closed, operation, path, cause: "permission denied", hint: "run as the service's user")
    }

    /// - Parameter group: the group whose members may read the file.
    static func unreadable(_ path: String, by group: String) -> HistoryError {
        HistoryError(
            .closed, "open", path, cause: "permission denied",
            hint: "only members of the group \(group) may read it: see docs/operations.md, Permissions")
    }

    private init(_ error: DatabaseError, _ operation: String, _ path: String) {
        let message = error.message ?? error.resultCode.description
        let (kind, cause, hint): (Kind, String, String?) =
            switch error.resultCode {
            case _ where Self.isDamage(error, message):
                (.corrupt, "the database is damaged: \(message)", Self.restoring)
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: (.corrupt, message, Self.restoring)
            case .SQLITE_FULL: (.unwritable, "the disk is full", "free some space, or lower history.max_size")
            case .SQLITE_READONLY: (.unwritable, "the database is read-only", "make it writable for this user")
            case .SQLITE_PERM, .SQLITE_AUTH: (.closed, "permission denied", "run as the service's user")
            case .SQLITE_CANTOPEN:
                (.unwritable, "cannot be opened", "check its folder, and that this user may write it")
            case .SQLITE_BUSY, .SQLITE_LOCKED: (.other, "another program keeps it locked", "close that program")
            case .SQLITE_IOERR: (.unwritable, message, nil)
            default: (.other, message, nil)
            }
        self.init(kind, operation, path, cause: cause, hint: hint)
    }
}

/// A column holds a value that no release writes: the database is damaged.
struct UndecodableValue: Error, CustomStringConvertible {
    /// With its table, if it is a column of a table.
    let column: String
    /// Nil if there is no such column.
    let found: DatabaseValue?

    init(column: [String?], found: DatabaseValue?) {
        self.column = column.compactMap { $0 }.joined(separator: ".")
        self.found = found
    }

    var description: String {
        found.map { "\(column) holds \($0.description.prefix(60))" } ?? "there is no column \(column)"
    }
}
