import Foundation
import Glibc

/// A program on a terminal of its own, seen from the side of the person at it.
final class PseudoTerminal {
    let pid: pid_t
    private var master: Int32
    /// All that it has written so far.
    private var written: [UInt8] = []

    // Of Linux and glibc, whose macros Swift does not see: TIOCSPTLCK, TIOCGPTN, POSIX_SPAWN_SETSID.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430
    private static let newSession: Int16 = 0x80

    init(_ arguments: [String], columns: UInt16, rows: UInt16, environment: [String: String] = [:]) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        var locked: Int32 = 0
        var number: UInt32 = 0
        guard master >= 0, ioctl(master, Self.setLock, &locked) == 0, ioctl(master, Self.getNumber, &number) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENXIO)
        }
        let name = "/dev/pts/\(number)"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens is the one whose Ctrl-C reaches it.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, name, O_RDWR, 0)
        }
        let variables = ["PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8"].merging(environment) { $1 }
        pid = try Program.spawn(
            Program.path, arguments, environment: variables, actions: &actions, flags: Self.newSession)
        resize(columns: columns, rows: rows)
    }

    deinit { hangUp() }

    /// As if its window were closed.
    func hangUp() {
        close(master)
        master = -1
    }

    /// Whether it shows what is typed, as a shell needs it.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    func type(_ keys: String) { _ = write(master, keys, keys.utf8.count) }

    /// Everything up to now; it must be asked for, or the program waits.
    func text() -> String {
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(master, &piece, piece.count)
            guard count > 0 else { return String(decoding: written, as: UTF8.self) }
            written += piece[..<count]
        }
    }

    /// How it ended, if it has; -N for a death by signal N.
    func ended() -> Int32? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}
