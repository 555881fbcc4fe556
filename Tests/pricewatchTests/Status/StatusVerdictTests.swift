import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

/// What `status` says of a daemon whose status file is old.
@Suite struct StatusVerdictTests {
    private func verdict(alive: Bool, after age: Duration = .minutes(3)) throws -> StatusVerdict {
        let text = """
            {"state": "ok", "pid": 4711, "written_at": "2026-11-21T10:00:00Z", "expires_at": "2026-11-21T10:01:00Z"}
            """
        return StatusVerdict(
            try #require(StatusReport(json: Data(text.utf8))), alive: alive, file: "/run/pricewatch/status.json",
            now: ChartScene.moment(0) + age)
    }

    @Test("an old status of a running daemon: no finished cycle, or a file that cannot be written")
    func alive() throws {
        let verdict = try verdict(alive: true)
        #expect(verdict.exit == 2 && verdict.expired)
        #expect(
            verdict.line == """
                failing: the daemon (pid 4711) is running, but its last status was written 3 min ago: no cycle has finished \
                since, or it cannot write /run/pricewatch/status.json (see the log and that disk's free space)
                """)
    }

    @Test("one that is gone may have ended well, and had no room to say so")
    func gone() throws {
        let verdict = try verdict(alive: false)
        #expect(verdict.exit == 2)
        #expect(
            verdict.line.hasPrefix("failing: the daemon (pid 4711) is not running; last status written 3 min ago: "))
        #expect(verdict.line.contains("ended suddenly, or could not write /run/pricewatch/status.json"))
    }

    @Test("a health check by --exit-on failing takes nothing for dead that works")
    func threshold() {
        #expect((0...3).map { ExitThreshold.degraded.applied(to: $0) } == [0, 1, 2, 3])
        #expect((0...3).map { ExitThreshold.failing.applied(to: $0) } == [0, 0, 2, 3])
    }

    @Test("the status of a process that is gone has expired, however young it is")
    func goneAtOnce() throws {
        let (alive, gone) = (
            try verdict(alive: true, after: .seconds(5)), try verdict(alive: false, after: .seconds(5))
        )
        #expect(alive.exit == 0 && !alive.expired)
        #expect(gone.exit == 2 && gone.expired)
    }
}
