import ArgumentParser
import Foundation
import Views

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
            let findings = CheckFindings(
                reading, online: online ? try await OnlineCheck.run(reading.configuration) : nil, now: Date())
            StandardOutput.write(lines: json ? [findings.json] : findings.lines)
        }
    }
}
