import ArgumentParser
import Dispatch
import Foundation

@main
enum Main {
    /// Not asynchronous itself: its tasks must find their executor in place.
    static func main() {
        StandardStreams.fill()
        if let complaint = MisspeltCommand.complaint(about: Array(CommandLine.arguments.dropFirst())) {
            StandardError.line(complaint)
            exit(Exit.usage.rawValue)
        }
        QueueExecutor.install()
        Task {
            await Pricewatch.main()
            exit(0)
        }
        dispatchMain()
    }
}

/// The one binary: the daemon, and every command that asks it questions.
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
            Check.self,
            Find.self,
            Simulate.self,
        ])
}
