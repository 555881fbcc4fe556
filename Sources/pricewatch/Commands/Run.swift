import ArgumentParser
import Foundation
import Glibc
import Logging
import Markets
import ServiceLifecycle

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "The daemon, in the foreground; --once does one poll and ends.")

    @OptionGroup var installation: InstallationOptions
    @Flag(help: "One poll with recording, rules and messages, then the end.")
    var once = false

    /// How long a single poll's process goes on for messages that are due.
    private static let patience = Duration.seconds(30)

    func run() async throws {
        HarmlessSignals.arm()
        try await Complaint.reporting {
            let reading = try installation.read()
            if reading.file == nil, isatty(STDERR_FILENO) == 1 { greet(reading.configuration) }
            let format = LineLogHandler.Format(reading.configuration.log.format)
            let assembly = try await Assembly(reading, .current(staysAlive: !once, format: format))
            if once { try await pollOnce(assembly) } else { try await serve(assembly) }
        }
    }

    /// Somebody tries it out: what the log says in its own way, in plain words.
    private func greet(_ configuration: Configuration) {
        let feed = configuration.feeds[0]
        for line in [
            "no configuration file: the \(configuration.watch.top) largest markets in \(configuration.currency) from "
                + "\(feed.name), every \(configuration.every(of: feed).unitsText), without a key",
            "prices are kept in \(configuration.history.database)",
            "see them in another terminal: pricewatch status --watch; Ctrl-C here ends it",
        ] {
            StandardError.line("pricewatch: \(line)")
        }
    }

    private func serve(_ assembly: Assembly) async throws {
        let impatience = ImpatientStop()
        impatience.arm()
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: Daemon(assembly),
                        successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() })
        ).run()
        await assembly.finish()
        withExtendedLifetime(impatience) {}
    }

    private func pollOnce(_ assembly: Assembly) async throws {
        await assembly.cycle.tellUntold()
        await assembly.sender.begin()
        let ending = await assembly.cycle.turn(obeying: .namedOnly)
        await assembly.cycle.tidy()
        await assembly.sender.rest(dueWithin: Self.patience, atMost: Self.patience)
        await assembly.sender.stop()
        await assembly.cycle.showChange()
        await assembly.cycle.close()
        await assembly.finish()
        switch ending {
        case .polled(_, recorded: false):
            throw ExitCode(Exit.inputOutput.rawValue)
        case .polled(.failed, _), .interrupted:
            throw Exit.noAnswer
        case .waiting(let until):
            throw Complaint(
                "poll \(assembly.settings.feedName): the provider asked to wait until \(until.utcText); nothing was asked",
                Exit.noAnswer)
        case .polled:
            return
        }
    }
}
