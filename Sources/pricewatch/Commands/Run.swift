import ArgumentParser
import Engine
import Foundation
import Glibc
import Markets
import UnixSignals
import Views

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "The daemon, in the foreground; --once does one poll and ends.")

    @OptionGroup var installation: InstallationOptions
    @Flag(help: "One poll with recording, rules and messages, then the end.")
    var once = false

    /// How long the process of a single poll waits for deliveries; for `exec` channels, as long as their programs may
    /// run.
    private static let patience = Duration.seconds(5)

    func run() async throws {
        IdleMemory.keepFreed()
        let reading = try installation.read()
        let configuration = reading.configuration
        // Other daemons reopen their log at SIGUSR1 or SIGUSR2; by default these signals end the process.
        let reloads = await UnixSignalsSequence(trapping: .sighup, .sigusr1, .sigusr2)
        let bootstrap = try await Bootstrap(
            reading, .current(once: once ? Self.patience(configuration) : nil))
        // Before anything is recorded or sent.
        let stops = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let daemon = Daemon(bootstrap)
        let following = [Task { await daemon.reload(at: reloads) }, Task { await daemon.stop(at: stops) }]
        let ending = await daemon.run()
        for task in following { task.cancel() }
        if once {
            warnOfWaiting(await daemon.queuedMessages)
            try Self.judge(ending, of: configuration.feeds[0].name, in: configuration.zone)
        }
    }

    /// The exit code of a single cycle.
    private static func judge(_ ending: CycleEnding?, of feed: String, in zone: Zone) throws {
        switch ending {
        case .polled(_, recorded: false): throw ExitCode(Exit.inputOutput.rawValue)
        case .polled(.failed, _), nil: throw Exit.noAnswer
        case .waiting(let until):
            throw CommandError(
                "poll \(feed): the provider asked to wait until \(zone.text(until)); nothing was asked", Exit.noAnswer)
        case .polled: return
        }
    }

    private static func patience(_ configuration: Configuration) -> Duration {
        configuration.notify.filter(\.isProgram).map(\.timeout).reduce(patience, max)
    }

    private func warnOfWaiting(_ messages: Int) {
        guard messages > 0 else { return }
        StandardError.line(
            "pricewatch: \(messages) message\(messages == 1 ? " waits" : "s wait") in the outbox for the next run")
    }
}

extension Configuration.Channel {
    fileprivate var isProgram: Bool { if case .exec = address { true } else { false } }
}

extension Daemon {
    /// Reloads at each SIGHUP until the task is cancelled.
    fileprivate nonisolated func reload(at signals: UnixSignalsSequence) async {
        for await signal in signals where signal == .sighup { reload() }
    }

    /// Stops at the first signal, until the task is cancelled. The second ends the process at once.
    fileprivate nonisolated func stop(at signals: UnixSignalsSequence) async {
        var isStopping = false
        for await signal in signals {
            if isStopping { _exit(128 + signal.rawValue) }
            isStopping = true
            stop()
        }
    }
}
