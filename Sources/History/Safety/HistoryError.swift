import GRDB

/// What went wrong with the history on disk: operation, object, cause and, where known, the cure.
public struct HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// Another daemon holds the database.
        case locked(pid: Int32)
        /// There is no database at this path.
        case absent
        /// A newer release wrote it.
        case newerSchema
        /// It is somebody else's database.
        case foreign
        /// Its content is damaged.
        case corrupt
        /// The disk is full or read-only.
        case unwritable
        /// It belongs to another user, who does not let this one write.
        case closed
        /// This file cannot take a copy.
        case invalidTarget
        /// Any other failure to read or write.
        case other
    }

    public let kind: Kind
    public let operation: String
    public let path: String
    public let cause: String
    public let cure: String?

    public init(_ kind: Kind, _ operation: String, _ path: String, cause: String, cure: String? = nil) {
        self.kind = kind
        self.operation = operation
        self.path = path
        self.cause = cause
        self.cure = cure
    }

    public var description: String {
        "\(operation) \(path): \(cause)" + (cure.map { " (\($0))" } ?? "")
    }
}

extension HistoryError {
    /// Runs `body` and gives what SQLite complains of its operation and object.
    static func naming<T>(_ operation: String, _ path: String, _ body: () throws -> T) throws(HistoryError) -> T {
        do {
            return try body()
        } catch let error as HistoryError {
            throw error
        } catch let error as DatabaseError {
            throw HistoryError(error, operation, path)
        } catch let error as UndecodableValue {
            throw damaged(operation, path, error.description)
        } catch let error as RowDecodingError {
            throw damaged(operation, path, "\(error)")
        } catch let error as FileFault {
            throw HistoryError(.unwritable, operation, path, cause: error.cause)
        } catch {
            throw HistoryError(.other, operation, path, cause: String(describing: error))
        }
    }

    private static func damaged(_ operation: String, _ path: String, _ cause: String) -> HistoryError {
        HistoryError(
            .corrupt, operation, path, cause: "the database is damaged: \(cause)",
            cure: "set it aside and restore a backup")
    }

    /// Our statements fit our tables, which have no triggers: what a statement misses was taken away, and what refuses it
    /// was put there.
    private static func isDamage(_ error: DatabaseError, _ message: String) -> Bool {
        if error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER { return true }
        return error.resultCode == .SQLITE_ERROR
            && ["no such table", "no such column", "has no column named", "already exists", "integer overflow"]
                .contains(where: message.contains)
    }

    static func closed(_ operation: String, _ path: String) -> HistoryError {
        HistoryError(.closed, operation, path, cause: "permission denied", cure: "run as the service's user")
    }

    /// - Parameter group: whose members may read.
    static func unreadable(_ path: String, by group: String) -> HistoryError {
        HistoryError(
            .closed, "open", path, cause: "permission denied",
            cure: "only members of the group \(group) may read it: see README, Permissions")
    }

    private init(_ error: DatabaseError, _ operation: String, _ path: String) {
        let cause = error.message ?? error.resultCode.description
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(.corrupt, operation, path, cause: cause, cure: "set it aside and restore a backup")
        case _ where Self.isDamage(error, cause):
            self = Self.damaged(operation, path, cause)
        case .SQLITE_FULL:
            self.init(
                .unwritable, operation, path, cause: "the disk is full",
                cure: "free some space, or lower history.max_size; recording resumes by itself")
        case .SQLITE_READONLY:
            self.init(
                .unwritable, operation, path, cause: "the database is read-only",
                cure: "make it writable for this user")
        case .SQLITE_PERM, .SQLITE_AUTH:
            self = .closed(operation, path)
        case .SQLITE_CANTOPEN:
            self.init(
                .unwritable, operation, path, cause: "cannot be opened",
                cure: "check that its folder exists and that this user may read and write it")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.other, operation, path, cause: "another program keeps it locked", cure: "close that program")
        default:
            self.init(error.resultCode == .SQLITE_IOERR ? .unwritable : .other, operation, path, cause: cause)
        }
    }
}
