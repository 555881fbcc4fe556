import ArgumentParser
import Feeds
import History
import Markets
import Views

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
            case .invalidTarget: Exit.usage
            default: Exit.inputOutput
            }
        self.init(error.description, exitCode)
    }

    /// A rule or a channel that the user named and that is not there.
    init(unknown kind: String, _ name: String, among known: [String]) {
        var hint = Spelling.hint(for: name, among: known)
        if hint.isEmpty, !known.isEmpty {
            hint = " (there are \(known.prefix(5).joined(separator: ", "))\(known.count > 5 ? " …" : ""))"
        }
        self.init("find the \(kind) \(name): there is none of this name\(hint)", Exit.noSuchData)
    }

    /// nil for what the parser reports itself.
    private init?(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as HistoryError: self.init(error)
        case let error as ConfigurationError: self.init(error.description, Exit.configuration)
        case let error as FeedError: self.init(error.message, Exit.noAnswer)
        default: return nil
        }
    }

    /// Prints a command's error to standard error. Returns the error that the process exits with.
    static func reported(_ error: any Error) -> any Error {
        guard let own = CommandError(error) else { return error }
        for line in own.description.split(separator: "\n") { StandardError.line(String(line)) }
        return own.exitCode
    }
}

extension Spelling {
    /// ` (did you mean bitcoin?)`; empty if nothing known is similar.
    static func hint(for word: String, among known: [String]) -> String {
        closest(to: word, among: known).map { " (did you mean \($0)?)" } ?? ""
    }
}

/// The exit codes, stable for scripts.
enum Exit {
    /// `export verify`: an engine does not hold what the history holds.
    static let differences = ExitCode(1)
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
