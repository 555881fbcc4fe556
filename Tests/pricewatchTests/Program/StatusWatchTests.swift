import Foundation
import Glibc
import MarketSimulator
import Testing

@Suite struct StatusWatchTests {
    private static let enter = "\u{1B}[?1049h"
    private static let leave = "\u{1B}[?1049l"

    private func watch(_ installation: Installation, columns: UInt16, rows: UInt16) throws -> PseudoTerminal {
        try PseudoTerminal(
            ["status", "--watch", "--config", installation.configuration], columns: columns, rows: rows,
            environment: ["NO_COLOR": "1"])
    }

    /// The rows of the last whole frame.
    private func frame(_ terminal: PseudoTerminal) -> [String] {
        let frames = terminal.text().components(separatedBy: "\u{1B}[?2026h\u{1B}[H").dropFirst()
        let whole = frames.last { $0.hasSuffix("\u{1B}[J\u{1B}[?2026l") } ?? ""
        // The terminal sends one more carriage return.
        return whole.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { row in
            String(row).replacing(/\x1B\[[0-9?;]*[A-Za-z]|\r/, with: "")
        }
    }

    private func ending(of terminal: PseudoTerminal) async throws -> Int32? {
        var ending: Int32?
        try await eventually("its end") {
            _ = terminal.text()
            ending = ending ?? terminal.ended()
            return ending != nil
        }
        return ending
    }

    @Test("on a terminal it follows polls and size, scrolls, and gives the screen back")
    func screen() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        let terminal = try watch(installation, columns: 90, rows: 40)
        try await eventually("a first frame") { terminal.text().contains("bitcoin") }
        #expect(terminal.text().hasPrefix(Self.enter))
        let whole = frame(terminal)
        #expect(whole.count == 40 && whole.last == "q to quit")
        #expect(whole.contains { $0.contains("last 1m") } && whole[0].hasPrefix("ok: 3 markets, polled"))
        terminal.resize(columns: 40, rows: 6)
        try await eventually("a low frame") { frame(terminal).last?.hasPrefix("q to quit, rows 1 to 5 of ") == true }
        let count = try #require(frame(terminal).last?.split(separator: " ").last.flatMap { Int($0) })
        let path = installation.database.suffix(12)
        #expect(!frame(terminal).contains { $0.hasSuffix(path) })
        for (key, row) in [
            ("\u{1B}[B", "rows 2 to 6 of \(count)"), ("\u{1B}[6~", "rows 6 to 10 of \(count)"),
            ("k", "rows 5 to 9 of \(count)"), ("\u{1B}OH", "rows 1 to 5 of \(count)"),
            ("\u{1B}[F", "rows \(count - 4) to \(count) of \(count)"),
        ] {
            terminal.type(key)
            try await eventually("\(row) after \(key.debugDescription)") {
                frame(terminal).last?.hasSuffix(row) == true
            }
        }
        // The last line is longer than the terminal is wide, and is all there.
        #expect(frame(terminal).dropLast().joined().contains(path))
        #expect(frame(terminal).allSatisfy { $0.unicodeScalars.count <= 40 })
        terminal.type("q")
        #expect(try await ending(of: terminal) == 0)
        #expect(terminal.text().hasSuffix("\u{1B}[?25h" + Self.leave))
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test(
        "however it ends, the terminal is as before",
        arguments: ["q", "\u{3}", "SIGTERM", "SIGINT", "SIGHUP"])
    func ends(way: String) async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        let terminal = try watch(installation, columns: 80, rows: 10)
        try await eventually("a frame") { frame(terminal).last?.hasPrefix("q to quit") == true }
        #expect(!terminal.echoes)
        let signals = ["SIGTERM": SIGTERM, "SIGINT": SIGINT, "SIGHUP": SIGHUP]
        if let signal = signals[way] { kill(terminal.pid, signal) } else { terminal.type(way) }
        #expect(try await ending(of: terminal) == 0)
        #expect(terminal.echoes)
        #expect(terminal.text().hasSuffix("\u{1B}[?7h\u{1B}[?25h" + Self.leave))
    }

    @Test("a terminal that has gone ends it quietly")
    func hangUp() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        let terminal = try watch(installation, columns: 80, rows: 10)
        try await eventually("a frame") { frame(terminal).last?.hasPrefix("q to quit") == true }
        terminal.hangUp()
        var ending: Int32?
        try await eventually("its end") {
            ending = ending ?? terminal.ended()
            return ending != nil
        }
        #expect(ending == 0)
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
