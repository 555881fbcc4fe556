import Foundation
import Glibc
import Markets
import Subprocess

/// A program of the owner's, started for each message without a shell.
///
/// It gets a single event as JSON on standard input and in its environment (`ChildEnvironment`); for a group or a note,
/// standard input is the webhook's object. Exit status 0 is success. Any other exit may be retried, 75 (EX_TEMPFAIL) or
/// not: scripts often fail because of the network, and `max_age` ends the retries. A program that cannot be started is
/// a permanent error.
struct ExecChannel: Channel {
    let name: String
    /// The program and its arguments; a program without a slash is looked up in `PATH`.
    let command: [String]
    let timeout: Duration
    let environment: ChildEnvironment
    /// The time between SIGTERM and SIGKILL.
    var grace = Duration.seconds(2)

    func deliver(_ message: Message) async throws(DeliveryError) -> String {
        let json = Self.input(message)
        let variables = environment.variables(for: message, json: json)
        let child = ChildProcess(command, environment: variables, input: json + [UInt8(ascii: "\n")])
        let end = await child.run(timeout: timeout, grace: grace)
        let output = child.output.trimmingCharacters(in: .whitespacesAndNewlines)
        func shown(atMost length: Int) -> String {
            output.isEmpty ? "" : ": \"\(SafeText.printable(output, atMost: length))\""
        }
        switch end {
        case .ended(.exited(0)): return "exit 0\(shown(atMost: 80))"
        case .ended(.exited(let code)): throw error("exit \(code)\(shown(atMost: 200))")
        case .ended(.signaled(let signal)):
            let meaning = strsignal(signal).map { String(cString: $0).lowercased() } ?? "unknown"
            throw error("ended by signal \(signal) (\(meaning))\(shown(atMost: 200))")
        case .timedOut:
            throw error("not done within \(timeout.unitsText), so it was killed\(shown(atMost: 200))")
        case .cancelled: throw error("stopped before it was done")
        case .notStarted(let cause): throw startError(cause, path: variables["PATH"] ?? "")
        }
    }

    /// The event object for a single event, else the webhook's object.
    private static func input(_ message: Message) -> [UInt8] {
        guard let event = message.singleEvent else { return message.json.bytes }
        var json = JSONWriter()
        event.write(&json)
        return json.bytes
    }

    private func startError(_ cause: any Error, path: String) -> DeliveryError {
        let cause = cause as? SubprocessError
        let code = cause?.underlyingError?.rawValue ?? 0
        switch code {
        case _ where cause?.code == .executableNotFound:
            // The system's error is the same for a missing program, one that may not be run, and a missing interpreter.
            let fault = ProgramFile.fault(of: command[0], path: path)
            return error(fault ?? "its interpreter is missing (see its first line, #!)", isPermanent: true)
        case ENOEXEC:
            return error("it is no program (does its first line begin with #! and an interpreter?)", isPermanent: true)
        case E2BIG: return error("its arguments and environment are too long for the system", isPermanent: true)
        // Such as out of memory or processes.
        default: return error("cannot be run: \(String(cString: strerror(code)).lowercased())")
        }
    }

    private func error(_ cause: String, isPermanent: Bool = false) -> DeliveryError {
        let program = SafeText.printable(command[0], atMost: 200)
        return DeliveryError(description: "run \(program) for \(name): \(cause)", isPermanent: isPermanent)
    }
}

enum ProgramFile {
    /// Why a program cannot be started by this user; nil if its file is found and may be run.
    ///
    /// - Parameter path: Where a program without a slash is looked up: folders separated by colons.
    static func fault(of program: String, path: String) -> String? {
        guard program.contains("/") else {
            let isFound = path.split(separator: ":").contains { fault(of: "\($0)/\(program)", path: "") == nil }
            return isFound ? nil : "there is no such program in PATH=\(SafeText.printable(path, atMost: 200))"
        }
        var status = stat()
        guard stat(program, &status) == 0 else {
            let code = errno
            let hint = code == ENOENT ? "check the path" : "may this user look there?"
            return "\(String(cString: strerror(code)).lowercased()) (\(hint))"
        }
        if status.st_mode & S_IFMT != S_IFREG { return "it is no file" }
        return access(program, X_OK) == 0 ? nil : "it may not be run (chmod +x, and can this user read it?)"
    }
}
