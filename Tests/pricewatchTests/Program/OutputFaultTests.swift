import Foundation
import MarketSimulator
import Testing

/// Standard output that takes nothing.
@Suite struct OutputFaultTests {
    @Test("it is said on standard error, once, with the cause; a reader who has left is no fault")
    func told() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        _ = try await installation.run("run", "--once")
        await simulator.stop()
        for command in ["status", "summary --json", "history bitcoin --format csv", "check"] {
            for (place, cause) in [(">/dev/full", "no space left on device"), (">&-", "bad file descriptor")] {
                let ending = try await shell("\"$0\" \(command) --config \"$1\" \(place)", installation)
                #expect(ending.exit == 74, "\(command) \(place)")
                #expect(ending.errors == "write standard output: \(cause)\n", "\(command) \(place)")
            }
        }
        let gone = try await shell(
            "\"$0\" history bitcoin --format csv --config \"$1\" | true; exit ${PIPESTATUS[0]}", installation)
        #expect(gone.exit == 0 && gone.errors.isEmpty)
    }

    /// `$0` is the program, `$1` the configuration.
    private func shell(_ line: String, _ installation: Installation) async throws -> Program.Ending {
        try await Program.start(["-c", line, Program.path, installation.configuration], program: "/bin/bash").ended()
    }
}
