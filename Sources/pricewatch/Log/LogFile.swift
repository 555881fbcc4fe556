import Foundation
import Glibc
import Synchronization

/// The log file, opened with O_APPEND; each line is one write. It is reopened after a rename and on `reopen()`.
final class LogFile: LogOutlet {
    let path: String
    private let format: LineLogHandler.Format
    private let state: Mutex<State>

    private struct State {
        var descriptor: CInt = -1
        var file: FileIdentity?
        var fault: String?
    }

    init(path: String, format: LineLogHandler.Format) {
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
            if state.descriptor < 0 || FileIdentity(ofPath: path) != state.file {
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
        // Without O_NONBLOCK, opening a pipe blocks until it has a reader.
        state.descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | links, mode)
        let reason = errno
        if let kind = FileKind(ofPath: path), !kind.takesLines {
            shut(&state)
            state.fault = "open \(path): it is a \(kind.name) (name a plain file in log.file)"
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
        state.file = FileIdentity(ofDescriptor: state.descriptor)
        // Writes block from here on, so that a slow reader loses no lines.
        _ = fcntl(state.descriptor, F_SETFL, O_APPEND)
        if !isDevice { restrict(state.descriptor) }
    }

    /// The group (adm) can read logs.
    private static let mode: mode_t = 0o640

    /// The file keeps its group if this user may not change it.
    private static func restrict(_ descriptor: CInt) {
        var file = stat()
        guard fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return }
        if let adm = getgrnam("adm") { _ = fchown(descriptor, uid_t.max, adm.pointee.gr_gid) }
        if file.st_mode & 0o7777 & ~mode != 0 { fchmod(descriptor, file.st_mode & mode) }
    }

    /// Whether only this user and root can create files in the folder.
    private static func isOurs(_ folder: String) -> Bool {
        var status = stat()
        return stat(folder.isEmpty ? "." : folder, &status) == 0 && status.st_mode & 0o022 == 0
            && (status.st_uid == geteuid() || status.st_uid == 0)
    }

    private static func shut(_ state: inout State) {
        if state.descriptor >= 0 { close(state.descriptor) }
        state.descriptor = -1
        state.file = nil
    }
}

/// The type of the file at a path.
struct FileKind {
    private let mode: mode_t
    private let isDevice: Bool

    /// Nil if there is no such file.
    init?(ofPath path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        mode = information.st_mode & S_IFMT
        // /dev/stdout may be a pipe, and writing to it is intended.
        isDevice = path.hasPrefix("/dev/")
    }

    /// Whether lines can be written without a reader at the other end.
    var takesLines: Bool { mode == S_IFREG || mode == S_IFCHR || isDevice }

    var name: String {
        switch mode {
        case S_IFIFO: "named pipe"
        case S_IFDIR: "folder"
        case S_IFSOCK: "socket"
        default: "special file"
        }
    }
}

/// Identifies a file by device and inode.
private struct FileIdentity: Equatable {
    private let device: UInt
    private let inode: UInt

    init?(ofPath path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    init?(ofDescriptor descriptor: CInt) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return nil }
        self.init(information)
    }

    private init(_ information: stat) {
        device = UInt(information.st_dev)
        inode = UInt(information.st_ino)
    }
}
