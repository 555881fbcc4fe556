import Foundation
import Glibc
import History
import Synchronization

/// The log file, opened with O_APPEND; each line is one write. It is reopened after a rename and on `reopen()`.
final class LogFile: LogOutlet {
    let path: String
    private let format: LoggedLine.Format
    private let state: Mutex<State>

    private struct State {
        var descriptor: CInt = -1
        var device: dev_t = 0
        var inode: ino_t = 0
        var fault: String?
    }

    init(path: String, format: LoggedLine.Format) {
        self.path = path
        self.format = format
        state = Mutex(State())
    }

    deinit { state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } } }

    /// Why the last line could not be written; nil after a successful write.
    var fault: String? { state.withLock(\.fault) }

    /// Opens the file now. Sets `fault` on failure.
    func open() { state.withLock { Self.open(&$0, path) } }

    func reopen() {
        state.withLock { state in
            Self.shut(&state)
            Self.open(&state, path)
        }
    }

    func write(_ line: LoggedLine) {
        let bytes = Array(line.text(format).utf8)
        state.withLock { state in
            // Log rotation renames the file: the path is then missing or another file.
            let file = stat(ofPath: path)
            if state.descriptor < 0 || file?.st_ino != state.inode || file?.st_dev != state.device {
                Self.shut(&state)
                Self.open(&state, path)
            }
            guard state.descriptor >= 0 else { return }
            if Glibc.write(state.descriptor, bytes, bytes.count) == bytes.count {
                state.fault = nil
            } else {
                state.fault = "write \(path): \(String(cString: strerror(errno)).lowercased())"
            }
        }
    }

    private static func open(_ state: inout State, _ path: String) {
        let folder = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let isDevice = path.hasPrefix("/dev/")
        // In a folder that other users can write to, a link may be theirs and point at any of our files.
        let links = isDevice || isOurs(folder) ? 0 : O_NOFOLLOW
        if !isDevice { FileAccess.create(path, mode: mode) }
        // Without O_NONBLOCK, opening a pipe blocks until it has a reader.
        state.descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | links, mode)
        let reason = errno
        if let file = stat(ofPath: path), !file.takesLines(at: path) {
            shut(&state)
            let kind = file.type == S_IFIFO ? "named pipe" : file.type == S_IFDIR ? "folder" : "special file"
            state.fault = "open \(path): it is a \(kind) (name a plain file in log.file)"
            return
        }
        guard state.descriptor >= 0 else {
            state.fault =
                reason == ELOOP && links != 0
                ? "open \(path): it is a link in a folder that others may write to (name the file itself in log.file)"
                : "open \(path): \(String(cString: strerror(reason)).lowercased())"
            return
        }
        state.fault = nil
        // Writes block from here on, so that a slow reader loses no lines.
        _ = fcntl(state.descriptor, F_SETFL, O_APPEND)
        var file = stat()
        guard fstat(state.descriptor, &file) == 0 else { return }
        state.device = file.st_dev
        state.inode = file.st_ino
        guard file.type == S_IFREG, !isDevice else { return }
        // The file keeps its group if this user may not change it.
        if let adm = getgrnam("adm") { _ = fchown(state.descriptor, uid_t.max, adm.pointee.gr_gid) }
        if file.st_mode & 0o7777 & ~mode != 0 { fchmod(state.descriptor, file.st_mode & mode) }
    }

    /// The group (adm) can read logs.
    private static let mode: mode_t = 0o640

    /// Whether only this user and root can create files in the folder.
    private static func isOurs(_ folder: String) -> Bool {
        guard let status = stat(ofPath: folder.isEmpty ? "." : folder) else { return false }
        return status.st_mode & 0o022 == 0 && (status.st_uid == geteuid() || status.st_uid == 0)
    }

    private static func shut(_ state: inout State) {
        if state.descriptor >= 0 { close(state.descriptor) }
        state.descriptor = -1
    }
}

extension stat {
    /// Nil if there is no such file.
    fileprivate init?(ofPath path: String) {
        self.init()
        guard fstatat(AT_FDCWD, path, &self, 0) == 0 else { return nil }
    }

    fileprivate var type: mode_t { st_mode & S_IFMT }

    /// Whether lines can be written without a reader at the other end. `/dev/stdout` may be a pipe, and writing to it
    /// is intended.
    fileprivate func takesLines(at path: String) -> Bool {
        type == S_IFREG || type == S_IFCHR || path.hasPrefix("/dev/")
    }
}

/// Finds the alert events that are already in the log: a daemon killed between the log line and its commit must not log
/// an event twice.
struct LoggedEvents {
    /// Bytes searched at the end of each file: far more than the lines between two polls.
    private static let tail: UInt64 = 4 << 20
    private let text: String

    /// Reads the end of the log and of the last rotated log (`.1`).
    init(in file: LogFile) {
        text = [file.path + ".1", file.path].map(Self.end(of:)).joined()
    }

    func contains(_ eventID: String) -> Bool {
        text.contains("event_id=\(eventID)") || text.contains("\"event_id\":\"\(eventID)\"")
    }

    private static func end(of path: String) -> String {
        guard stat(ofPath: path)?.takesLines(at: path) == true else { return "" }
        guard let handle = FileHandle(forReadingAtPath: path), let size = try? handle.seekToEnd() else { return "" }
        defer { try? handle.close() }
        try? handle.seek(toOffset: size > tail ? size - tail : 0)
        return (try? handle.readToEnd()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
