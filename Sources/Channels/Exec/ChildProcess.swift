import Foundation
import Glibc
import Subprocess
import Synchronization

/// One run of a program in its own session, ended at the timeout with all its child processes.
///
/// It inherits the three standard descriptors only (the library closes the others). Once the program has exited,
/// nothing waits for its children, even if they hold the output pipe.
struct ChildProcess: Sendable {
    let command: [String]
    let environment: [String: String]
    let input: [UInt8]
    let timeout: Duration
    /// The time between SIGTERM and SIGKILL.
    let grace: Duration

    enum End: Sendable {
        case exited(Int32, BoundedOutput)
        case killed(signal: Int32, BoundedOutput)
        case timedOut(BoundedOutput)
        /// The caller's task was cancelled and the program killed.
        case cancelled
        case notStarted(StartFault)
    }

    private enum Step: Sendable {
        case timeIsUp
        case ended(End)
    }

    /// The state of a run, readable even if the run is cancelled.
    private final class Course: Sendable {
        let process = Mutex<pid_t?>(nil)
        let output = Mutex(BoundedOutput())
    }

    func run() async -> End {
        // A program that closes its standard input early must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let course = Course()
        let (isLate, end) = await withTaskGroup(of: Step.self) { group in
            group.addTask { .ended(await spawn(course)) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .timeIsUp
            }
            var isLate = false
            var end: End?
            while let step = await group.next() {
                switch step {
                case .ended(let how): end = how
                case .timeIsUp: isLate = end == nil
                }
                group.cancelAll()
            }
            return (isLate, end ?? .cancelled)
        }
        guard isLate, let group = course.process.withLock({ $0 }) else { return end }
        // The program has exited by now, but its children may have ignored SIGTERM. The group id stays valid while the
        // group has members.
        kill(-group, SIGKILL)
        return Task.isCancelled ? .cancelled : .timedOut(course.output.withLock { $0 })
    }

    /// Returns when the program has exited; ends the program if cancelled.
    private func spawn(_ course: Course) async -> End {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: grace)
        ]
        let program = command[0]
        do {
            let result = try await Subprocess.run(
                program.contains("/") ? .path(.init(program)) : .name(program),
                arguments: Arguments(Array(command.dropFirst())), environment: .custom(variables),
                platformOptions: options, input: .inputWriter, output: .sequence, error: .combinedWithOutput
            ) { execution in
                course.process.withLock { $0 = execution.processIdentifier.value }
                async let written: Void = write(to: execution.standardInputWriter)
                for try await piece in execution.standardOutput {
                    course.output.withLock { output in piece.withUnsafeBytes { output.append($0) } }
                }
                await written
            }
            let said = course.output.withLock { $0 }
            return switch result.terminationStatus {
            case .exited(let code): .exited(code, said)
            case .signaled(let signal): .killed(signal: signal, said)
            }
        } catch {
            return .notStarted(StartFault(program, path: environment["PATH"] ?? "", error))
        }
    }

    /// Errors are ignored: the program need not read its input.
    private func write(to writer: StandardInputWriter) async {
        _ = try? await writer.write(input)
        try? await writer.finish()
    }

    private var variables: [Environment.Key: String] {
        Dictionary(environment.compactMap { name, value in Environment.Key(rawValue: name).map { ($0, value) } }) { $1 }
    }
}
