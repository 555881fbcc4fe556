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
        terminal.resize(columns: 32, rows: 5)
        try await eventually("a narrow frame") {
            let frame = terminal.text().components(separatedBy: "\u{1B}[H").last ?? ""
            return frame.hasSuffix("\u{1B}[?2026l") && !frame.contains("last 1m") && frame.contains("and 2 more")
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

    @Test("in a pipe, a line a change, and the end of the daemon is one")
    func pipe() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        let watch = try installation.start("status", "--watch")
        try await eventually("three more polls") { installation.log.count { $0.contains("poll.ok") } >= 4 }
        daemon.signal(SIGKILL)
        #expect(await daemon.ended().exit == -SIGKILL)
        await simulator.stop()
        try await eventually("it is missed") { watch.output.contains(" is not running; last status written ") }
        watch.signal(SIGTERM)
        let ending = await watch.ended()
        #expect(ending.exit == 0)
        let lines = ending.output.split(separator: "\n")
        #expect(lines.count { $0.contains("Z ok: 3 markets, polled") } >= 2)
        #expect(lines.last?.contains("Z failing: the daemon") == true)
        #expect(!ending.output.contains("\u{1B}"))
    }
}
