import ArgumentParser
import Glibc
import History
import Markets

/// A command's error: one line for people, an exit code for scripts.
struct CommandError: Error, CustomStringConvertible {
    let description: String
    let exitCode: ExitCode

    init(_ text: String, _ exitCode: ExitCode) {
        description = text
        self.exitCode = exitCode
    }

    init(_ error: HistoryError) {
        let exitCode: ExitCode =
            switch error.kind {
            case .locked: Exit.alreadyRunning
            case .absent: Exit.noSuchData
            default: Exit.inputOutput
            }
        self.init(error.description, exitCode)
    }

    /// Runs a command's body; prints its error to standard error and exits with the error's code.
    static func reporting<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as HistoryError {
            throw CommandError(error).reported()
        } catch let complaint as CommandError {
            throw complaint.reported()
        }
    }

    private func reported() -> ExitCode {
        for line in description.split(separator: "\n") { StandardError.line(String(line)) }
        return exitCode
    }
}

/// Writes errors and notes to standard error, apart from the output that scripts read.
enum StandardError {
    static func line(_ text: String) {
        let bytes = Array((SafeText.printable(text) + "\n").utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// The exit codes, stable for scripts.
enum Exit {
    static let usage = ExitCode(64)
    /// No such market, rule or channel, or no recorded data.
    static let noSuchData = ExitCode(65)
    /// No usable answer from the provider or channel.
    static let noAnswer = ExitCode(69)
    static let inputOutput = ExitCode(74)
    /// Another daemon holds this database.
    static let alreadyRunning = ExitCode(75)
    static let configuration = ExitCode(78)
}
