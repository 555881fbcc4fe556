import ArgumentParser
import Feeds
import Foundation
import Markets

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reads the configuration, prints what it understood and what it costs in requests a month.")

    @OptionGroup var installation: InstallationOptions
    @Flag(help: "Also ask the provider: ids, currency, key and host.")
    var online = false
    @Flag(help: "For programs.")
    var json = false

    func run() async throws {
        try await CommandError.reporting {
            let reading = try installation.read()
            let findings = try CheckFindings(
                reading, online: online ? try await OnlineCheck(reading) : nil, now: Date())
            var output = StandardOutput()
            if json {
                output.line(findings.json)
            } else {
                for line in findings.lines { output.line(line) }
            }
        }
    }
}
