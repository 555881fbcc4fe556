import Foundation
import Glibc
import Synchronization

/// The log file: one line, one write, always at its end. It is opened anew after a rename and on `reopen()`.
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

    /// Why the last line could not be written; nil where it was.
    var fault: String? { state.withLock(\.fault) }

    /// Opens the file now; what it answers is `fault`.
    func open() { state.withLock { Self.open(&$0, path) } }

    func reopen() {
        state.withLock { state in
            Self.shut(&state)
            Self.open(&state, path)
        }
    }

    func write(_ line: LogLine) {
        let bytes = Array(line.text(format).utf8)
        state.withLock { state in
            // Whoever rotates the log renames it: the name then belongs to another file, or to none.
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
        // Where others may write, a link may be theirs, and lead to any file of ours.
        let links = isDevice || isOurs(folder) ? 0 : O_NOFOLLOW
        // Without waiting: a pipe would be opened only once somebody reads from it.
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
        // Whoever reads slowly is waited for from here on, as everywhere.
        _ = fcntl(state.descriptor, F_SETFL, O_APPEND)
        if !isDevice { restrict(state.descriptor) }
    }

    /// Administrators read logs.
    private static let mode: mode_t = 0o640

    /// Where this user may not give the file away, it keeps its group.
    private static func restrict(_ descriptor: CInt) {
        var file = stat()
        guard fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return }
        if let adm = getgrnam("adm") { _ = fchown(descriptor, uid_t.max, adm.pointee.gr_gid) }
        if file.st_mode & 0o7777 & ~mode != 0 { fchmod(descriptor, file.st_mode & mode) }
    }

    /// Whether nobody but this user and root can put anything there.
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

/// What kind of file a name stands for.
struct FileKind {
    private let mode: mode_t
    private let isDevice: Bool

    /// Nil where there is none.
    init?(ofPath path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        mode = information.st_mode & S_IFMT
        // /dev/stdout may be a pipe, and is meant.
        isDevice = path.hasPrefix("/dev/")
    }

    /// Whether lines can be added without somebody who takes them.
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

/// Which file a name or a descriptor stands for.
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
