import ArgumentParser
import Glibc
import History
import Markets

/// Why a command could not do what it was asked: one line for people, an exit code for scripts.
struct Complaint: Error, CustomStringConvertible {
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

    /// Runs a command's body; a complaint goes to standard error and ends the process with its code.
    static func reporting<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as HistoryError {
            throw Complaint(error).reported()
        } catch let complaint as Complaint {
            throw complaint.reported()
        }
    }

    private func reported() -> ExitCode {
        for line in description.split(separator: "\n") { StandardError.line(String(line)) }
        return exitCode
    }
}

/// Complaints and notes, beside the output that a script reads.
enum StandardError {
    static func line(_ text: String) {
        let bytes = Array((SafeText.printable(text) + "\n").utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
