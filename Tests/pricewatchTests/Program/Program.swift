import Foundation
import Glibc
import TestSupport

/// The built `pricewatch`, run as a user runs it.
struct Program {
    /// How one run ended.
    struct Ending {
        var exit: Int32
        var output: String
        var errors: String
        /// Seen where it was waited for, whatever else keeps the tests busy.
        var at: ContinuousClock.Instant
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

        /// What it has written so far.
        var output: String { folder.text("stdout") }

        /// The most memory it has held so far, in KiB; nil once it has ended.
        var peakKiB: Int? {
            guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        }

        /// Waits for its end, on a thread of its own; -N for a death by signal N.
        func ended() async -> Ending {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    var status: Int32 = 0
                    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                    let end = ContinuousClock.now
                    let killed = status & 0x7F
                    continuation.resume(
                        returning: Ending(
                            exit: killed == 0 ? (status >> 8) & 0xFF : -killed, output: folder.text("stdout"),
                            errors: folder.text("stderr"), at: end))
                }
            }
        }
    }

    /// Another build than the one beside the tests, such as the release build; nil: that one.
    static let named = ProcessInfo.processInfo.environment["PRICEWATCH_PROGRAM"]

    static let path =
        named ?? (CommandLine.arguments[0] as NSString).deletingLastPathComponent + "/pricewatch"

    /// Sockets of the simulated servers in this process would otherwise stay open in the program, and neither a stop
    /// nor a reset would reach their clients. The shell gives its pid to the program.
    private static let closingAndBecoming = """
        for d in /proc/self/fd/*; do n=${d##*/}; if [ "$n" -gt 2 ]; then eval "exec $n>&-"; fi; done; exec "$0" "$@"
        """

    /// - Parameter program: Another one than `pricewatch`, such as a shell that calls it.
    static func start(
        _ arguments: [String], program: String = path, environment: [String: String] = [:]
    ) throws -> Running {
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
        let pid = try spawn(program, arguments, environment: variables, actions: &actions)
        return Running(pid: pid, folder: folder)
    }

    /// With no signal ignored, as a shell starts it, even where the tests run in a script's background, which ignores
    /// SIGINT and SIGQUIT.
    static func spawn(
        _ program: String, _ arguments: [String], environment: [String: String],
        actions: inout posix_spawn_file_actions_t, flags: Int16 = 0
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, flags | Int16(POSIX_SPAWN_SETSIGDEF))
        var argv = (["bash", "-c", closingAndBecoming, program] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, "/bin/bash", &actions, &attributes, &argv, &envp)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .ENOENT) }
        return pid
    }

    static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Ending {
        try await start(arguments, environment: environment).ended()
    }
}

typealias TemporaryFolder = TestSupport.TemporaryFolder
