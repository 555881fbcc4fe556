import ArgumentParser
import Foundation
import Markets
import Views

@main
enum Main {
    /// On the main actor, because the first lines need the process's only thread.
    @MainActor static func main() async {
        IdleMemory.shareHeap()
        StandardStreams.fill()
        if let complaint = MisspeltCommand.complaint(about: Array(CommandLine.arguments.dropFirst())) {
            StandardError.line(complaint)
            exit(Exit.usage.rawValue)
        }
        do {
            var command = try await Pricewatch.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let error = CommandError.reported(error)
            let code = Pricewatch.exitCode(for: error)
            guard !code.isSuccess else { Pricewatch.exit(withError: error) }
            // The parser repeats words of the command line, which may hold anything.
            let message = Pricewatch.fullMessage(for: error)
            for line in message.split(separator: "\n") { StandardError.line(String(line)) }
            exit(code.rawValue)
        }
    }
}

/// The executable: the daemon, and every command that reads its data.
struct Pricewatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pricewatch",
        abstract: "Watches market prices, keeps their history, and tells you when something you care about happens.",
        version: Version.current,
        subcommands: [
            Run.self,
            Demo.self,
            Status.self,
            Summary.self,
            HistoryCommand.self,
            ChartCommand.self,
            Alerts.self,
            Rehearse.self,
            SilenceCommand.self,
            UnsilenceCommand.self,
            NotifyTest.self,
            BackfillCommand.self,
            Backup.self,
            Restore.self,
            Forget.self,
            ExportCommand.self,
            Check.self,
            Find.self,
            Web.self,
            Simulate.self,
        ])
}

/// Suggests a command for a mistyped one: the parser only reports `stat` in `pricewatch stat` as an unexpected
/// argument, and shows its general help for `pricewatch help stat`.
enum MisspeltCommand {
    /// The message for a first argument that is no command; nil if there is none.
    static func complaint(about arguments: [String]) -> String? {
        let commands = Pricewatch.configuration.subcommands
        let asksForHelp = arguments.first == "help"
        guard let word = arguments.dropFirst(asksForHelp ? 1 : 0).first, !word.hasPrefix("-"), word != "help",
            // The last condition: reading the names of all commands takes 1 ms of each start.
            !commands.contains(where: { $0._commandName == word })
        else { return nil }
        let meant = Spelling.closest(to: word, among: commands.map { $0._commandName })
        let hint = meant.map { "did you mean pricewatch \(asksForHelp ? "help " : "")\($0)?" }
        return "there is no command '\(word)' (\(hint ?? "all of them: pricewatch help"))"
    }
}
