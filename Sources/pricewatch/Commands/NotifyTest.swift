import ArgumentParser
import Channels
import Engine
import Foundation
import HTTP
import Markets
import Views

struct NotifyTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify-test", abstract: "Sends one message to a channel now, and shows the answer.",
        discussion: "It is not retried, waits for no quiet hours, and needs no daemon.")

    @OptionGroup var installation: InstallationOptions
    @Argument(help: "The channel's name, as the configuration has it.")
    var channel: String

    func run() async throws {
        let configuration = try installation.read().configuration
        let answer = try await NetworkTransport.whileOpen { network in
            try await Self.send(
                to: channel, of: configuration.notify, page: configuration.pageURL,
                host: ProcessInfo.processInfo.hostName, now: Date(), transport: network)
        }
        StandardOutput.write(lines: ["\(SafeText.printable(channel)): \(answer)"])
    }

    /// Returns the service's answer. Throws 65 for an unknown channel, 69 if the message was not delivered.
    static func send(
        to name: String, of channels: [Configuration.Channel], page: PageURL? = nil, host: String, now: Date,
        transport: any HTTPTransport
    ) async throws(CommandError) -> String {
        guard let channel = channels.first(where: { $0.name == name }) else {
            throw CommandError(unknown: "channel", name, among: channels.map(\.name))
        }
        let note = Note(
            kind: .test, title: "pricewatch: this is a test", lines: ["Messages to \(name) arrive here."], at: now,
            host: host)
        // A new id each time: a receiver that drops duplicates must not drop the second test.
        let message = Message(id: "test-\(UUID().uuidString.lowercased())", note: note, page: page)
        do {
            return try await channel.madeChannel(transport: transport).deliver(message)
        } catch {
            let advice = error.isPermanent ? "" : ": check that it runs and can be reached, or try again later"
            let place = channel.address.host.map { "; the host is \(SafeText.printable($0))\(advice)" } ?? ""
            throw CommandError(error.description + place, Exit.noAnswer)
        }
    }
}
