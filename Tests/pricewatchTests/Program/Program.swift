import Foundation
import Glibc

/// The built `pricewatch`, run as a user runs it.
struct Program {
    /// How one run ended.
    struct Ending {
        var exit: Int32
        var output: String
        var errors: String
        /// The most memory it held, in KiB.
        var peakKiB: Int
    }

    /// A run that has not ended yet.
    final class Running: Sendable {
        let pid: pid_t
        private let folder: TemporaryFolder

        fileprivate init(pid: pid_t, folder: TemporaryFolder) {
            self.pid = pid
            self.folder = folder
        }

        func signal(_ number: Int32) { kill(pid, number) }

        /// Waits for its end, on a thread of its own; -N for a death by signal N.
        func ended() async -> Ending {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    var status: Int32 = 0
                    var usage = rusage()
                    while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
                    let killed = status & 0x7F
                    continuation.resume(
                        returning: Ending(
                            exit: killed == 0 ? (status >> 8) & 0xFF : -killed, output: folder.text("stdout"),
                            errors: folder.text("stderr"), peakKiB: usage.ru_maxrss))
                }
            }
        }
    }

    /// Built beside the tests.
    private static let path =
        (CommandLine.arguments[0] as NSString).deletingLastPathComponent + "/pricewatch"

    static func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Running {
        let folder = try TemporaryFolder()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for (descriptor, name) in [(STDOUT_FILENO, "stdout"), (STDERR_FILENO, "stderr")] {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, folder.path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        }
        // Nothing of the tester's own configuration may be found.
        var variables = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "STATE_DIRECTORY": folder.path]
        variables.merge(environment) { _, given in given }
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, path, &actions, nil, &argv, &envp)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .ENOENT) }
        return Running(pid: pid, folder: folder)
    }

    static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Ending {
        try await start(arguments, environment: environment).ended()
    }
}

/// A folder of a test's own, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "pricewatch-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func text(_ name: String) -> String {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    func write(_ text: String, as name: String) -> String {
        let file = path + "/" + name
        let written = FileManager.default.createFile(atPath: file, contents: Data(text.utf8))
        precondition(written, "\(file) cannot be written")
        return file
    }
}
