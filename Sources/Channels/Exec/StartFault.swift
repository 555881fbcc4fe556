import Foundation
import Glibc
import Markets
import Subprocess

/// Why a program could not be started.
struct StartFault: Sendable, CustomStringConvertible {
    let description: String
    /// True if a retry would fail for the same reason.
    let isPermanent: Bool

    private init(_ description: String, isPermanent: Bool = true) {
        self.description = description
        self.isPermanent = isPermanent
    }

    /// Inspects the file, since the system's error is the same for a missing and a non-executable program.
    init(_ program: String, path: String, _ error: any Error) {
        guard let error = error as? SubprocessError else {
            self.init("cannot be run: \(error)", isPermanent: false)
            return
        }
        let code = error.underlyingError?.rawValue ?? 0
        switch error.code {
        case .executableNotFound: self = Self.about(program, path: path)
        case .spawnFailed where code == ENOEXEC:
            self.init("it is no program (does its first line begin with #! and an interpreter?)")
        case .spawnFailed where code == E2BIG:
            self.init("its arguments and environment are too long for the system")
        default:
            // Such as out of memory or processes.
            let cause = code == 0 ? "\(error)" : String(cString: strerror(code)).lowercased()
            self.init("cannot be run: \(cause)", isPermanent: false)
        }
    }

    /// True if `file` is a regular file that this user may execute.
    static func mayBeRun(_ file: String) -> Bool {
        var status = stat()
        return stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(file, X_OK) == 0
    }

    /// Why a program could not be found.
    static func about(_ program: String, path: String) -> StartFault {
        guard program.contains("/") else {
            return StartFault("there is no such program in PATH=\(SafeText.printable(path, atMost: 200))")
        }
        var status = stat()
        guard stat(program, &status) == 0 else {
            let code = errno
            let hint = code == ENOENT ? "check the path" : "may this user look there?"
            return StartFault("\(String(cString: strerror(code)).lowercased()) (\(hint))")
        }
        if status.st_mode & S_IFMT != S_IFREG { return StartFault("it is no file") }
        if access(program, X_OK) != 0 { return StartFault("it may not be run (chmod +x, and can this user read it?)") }
        return StartFault("its interpreter is missing (see its first line, #!)")
    }
}
