import ArgumentParser
import Channels
import Engine
import Feeds
import Foundation
import HTTP
import Markets

struct NotifyTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify-test", abstract: "Sends one message to a channel now, and shows the answer.",
        discussion: "It is not retried, waits for no quiet hours, and needs no daemon.")

    @OptionGroup var installation: InstallationOptions
    @Argument(help: "The channel's name, as the configuration has it.")
    var channel: String

    func run() async throws {
        try await CommandError.reporting {
            let configuration = try installation.read().configuration
            let network = try NetworkTransport()
            let answer: String
            do {
                answer = try await Self.send(
                    to: channel, of: configuration.notify, host: ProcessInfo.processInfo.hostName, now: Date(),
                    transport: network)
            } catch {
                await network.shutdown()
                throw error
            }
            await network.shutdown()
            var output = StandardOutput()
            output.line("\(SafeText.printable(channel)): \(answer)")
        }
    }

    /// Returns the service's answer. Throws 65 for an unknown channel, 69 if the message was not delivered.
    static func send(
        to name: String, of channels: [Configuration.Channel], host: String, now: Date,
        transport: any HTTPTransport
    ) async throws(CommandError) -> String {
        guard let channel = channels.first(where: { $0.name == name }) else {
            throw unknown(name, among: channels.map(\.name))
        }
        let note = Note(
            kind: .test, title: "pricewatch: this is a test", lines: ["Messages to \(name) arrive here."], at: now,
            host: host)
        // A new id each time: a receiver that drops duplicates must not drop the second test.
        let message = Message(id: "test-\(UUID().uuidString.lowercased())", content: .note(note))
        do {
            return try await channel.madeChannel(transport: transport).deliver(message).answer
        } catch {
            throw CommandError(error.description, Exit.noAnswer)
        }
    }

    private static func unknown(_ name: String, among names: [String]) -> CommandError {
        let meant = Spelling.closest(to: name, among: names).map { " (did you mean \($0)?)" } ?? ""
        let all = names.isEmpty ? "the configuration has no notify" : "notify has \(names.joined(separator: ", "))"
        return CommandError("find the channel \(name): there is none of this name\(meant); \(all)", Exit.noSuchData)
    }
}
