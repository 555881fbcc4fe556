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

    /// How long a single poll's process goes on for messages; for programs, as long as these may take.
    private static let patience = Duration.seconds(5)
    /// An attempt that is due later is left to the next run.
    private static let retriesWithin = Duration.seconds(3)

    func run() async throws {
        HarmlessSignals.arm()
        try await Complaint.reporting {
            let reading = try installation.read()
            if reading.file == nil, isatty(STDERR_FILENO) == 1 { greet(reading.configuration) }
            let format = LineLogHandler.Format(reading.configuration.log.format)
            let assembly = try await Assembly(reading, .current(staysAlive: !once, format: format))
            if once { try await pollOnce(assembly, reading.configuration) } else { try await serve(assembly) }
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

    private func pollOnce(_ assembly: Assembly, _ configuration: Configuration) async throws {
        await assembly.cycle.tellUntold()
        await assembly.sender.begin()
        let ending = await assembly.cycle.turn(obeying: .namedOnly)
        await assembly.cycle.tidy()
        await assembly.sender.rest(dueWithin: Self.retriesWithin, atMost: Self.patience(configuration))
        await assembly.sender.stop()
        tellWaiting(await assembly.sender.report.size.queued)
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

    private static func patience(_ configuration: Configuration) -> Duration {
        configuration.notify.filter(\.isProgram).map(\.timeout).reduce(patience, max)
    }

    private func tellWaiting(_ messages: Int) {
        guard messages > 0 else { return }
        StandardError.line(
            "pricewatch: \(messages) message\(messages == 1 ? " waits" : "s wait") in the outbox for the next run")
    }
}

extension Configuration.Channel {
    fileprivate var isProgram: Bool { if case .exec = kind { true } else { false } }
}
