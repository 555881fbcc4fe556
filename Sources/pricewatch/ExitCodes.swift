import ArgumentParser

/// The exit codes that scripts rely on.
enum Exit {
    static let usage = ExitCode(64)
    /// No such market, rule or channel; nothing ever recorded.
    static let noSuchData = ExitCode(65)
    /// The provider or the channel gave no usable answer.
    static let noAnswer = ExitCode(69)
    static let inputOutput = ExitCode(74)
    /// Another daemon holds this database.
    static let alreadyRunning = ExitCode(75)
    static let configuration = ExitCode(78)
}
