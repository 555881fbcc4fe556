import Foundation
import Glibc
import Subprocess
import Synchronization

/// One run of a program in its own session, ended at the timeout with all its child processes.
///
/// It inherits the three standard descriptors only (the library closes the others). Once the program has exited,
/// nothing waits for its children, even if they hold the output pipe.
final class ChildProcess: Sendable {
    private let command: [String]
    private let environment: [String: String]
    private let input: [UInt8]
    /// Readable even if the run is cancelled.
    private let state = Mutex(State())

    private struct State {
        var process: pid_t?
        var output: [UInt8] = []
    }

    enum End: Sendable {
        case ended(TerminationStatus)
        case timedOut
        /// The caller's task was cancelled and the program killed.
        case cancelled
        case notStarted(any Error)
    }

    /// Bytes of output that are kept. The rest is read and discarded, so that the program does not block.
    private static let longestOutput = 4096

    init(_ command: [String], environment: [String: String], input: [UInt8]) {
        self.command = command
        self.environment = environment
        self.input = input
    }

    /// The beginning of what the program has written to standard output and standard error.
    var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }

    /// - Parameter grace: The time between SIGTERM and SIGKILL.
    func run(timeout: Duration, grace: Duration) async -> End {
        // A program that closes its standard input early must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let end = await withTaskGroup(of: End.self) { group in
            group.addTask { await self.spawn(grace) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return Task.isCancelled ? .cancelled : .timedOut
            }
            let first = await group.next()
            group.cancelAll()
            await group.waitForAll()
            return first ?? .cancelled
        }
        switch end {
        case .timedOut, .cancelled:
            // The program has exited by now, but its children may have ignored SIGTERM. The group id stays valid while
            // the group has members.
            if let process = state.withLock(\.process) { kill(-process, SIGKILL) }
        case .ended, .notStarted: break
        }
        return end
    }

    /// Returns when the program has exited; ends the program if cancelled.
    private func spawn(_ grace: Duration) async -> End {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: grace)
        ]
        let variables = environment.compactMap { name, value in Environment.Key(rawValue: name).map { ($0, value) } }
        do {
            let result = try await Subprocess.run(
                command[0].contains("/") ? .path(.init(command[0])) : .name(command[0]),
                arguments: Arguments(Array(command.dropFirst())),
                environment: .custom(Dictionary(variables) { $1 }),
                platformOptions: options, input: .inputWriter, output: .sequence, error: .combinedWithOutput
            ) { execution in
                self.state.withLock { $0.process = execution.processIdentifier.value }
                async let written: Void = self.write(to: execution.standardInputWriter)
                for try await piece in execution.standardOutput {
                    self.state.withLock { state in
                        let room = Self.longestOutput - state.output.count
                        piece.withUnsafeBytes { state.output += $0.prefix(room) }
                    }
                }
                await written
            }
            return .ended(result.terminationStatus)
        } catch {
            return .notStarted(error)
        }
    }

    /// Errors are ignored: the program need not read its input.
    private func write(to writer: StandardInputWriter) async {
        _ = try? await writer.write(input)
        try? await writer.finish()
    }
}
