import Foundation
import Glibc
import MarketSimulator
import Testing

@Suite struct StatusWatchTests {
    private static let enter = "\u{1B}[?1049h"
    private static let leave = "\u{1B}[?1049l"

    @Test("on a terminal it follows polls and size, and gives the screen back", arguments: ["\u{3}", "q"])
    func screen(key: String) async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        let terminal = try PseudoTerminal(
            ["status", "--watch", "--config", installation.configuration], columns: 90, rows: 20,
            environment: ["NO_COLOR": "1"])
        try await eventually("a first frame") { terminal.text().contains("bitcoin") }
        #expect(terminal.text().hasPrefix(Self.enter))
        let wide = terminal.text()
        #expect(wide.contains("last 1m") && wide.contains("ok: 3 markets, polled"))
        terminal.resize(columns: 60, rows: 5)
        try await eventually("a low frame") {
            let frame = terminal.text().components(separatedBy: "\u{1B}[H").last ?? ""
            return frame.hasSuffix("\u{1B}[?2026l") && frame.contains("and 2 more")
        }
        terminal.type(key)
        var ending: Int32?
        try await eventually("its end") {
            _ = terminal.text()
            ending = ending ?? terminal.ended()
            return ending != nil
        }
        #expect(ending == 0)
        #expect(terminal.text().hasSuffix("\u{1B}[?25h" + Self.leave))
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("it needs a terminal", arguments: [["--watch"], ["--watch", "--json"]])
    func pipe(options: [String]) async throws {
        let installation = try Installation(url: "http://127.0.0.1:9")
        let ending = try await Program.start(["status"] + options + ["--config", installation.configuration])
            .ended()
        #expect(ending.exit == 64 && ending.output == "")
        #expect(ending.errors.contains("--watch is for a terminal"))
    }
}
