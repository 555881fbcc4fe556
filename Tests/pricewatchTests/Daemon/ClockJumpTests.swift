import Engine
import Foundation
import Markets
import Synchronization
import Testing

@testable import pricewatch

@Suite struct ClockJumpTests {
    private static let start = ClockReading(
        wall: Date(timeIntervalSince1970: 1_795_255_200), boot: .seconds(5000), awake: .seconds(4000))

    /// A minute later, while this much more passed on each clock.
    private static func later(wall: Duration = .zero, boot: Duration = .zero, awake: Duration = .zero) -> ClockReading {
        ClockReading(
            wall: start.wall + .minutes(1) + wall, boot: start.boot + .minutes(1) + boot,
            awake: start.awake + .minutes(1) + awake)
    }

    @Test(
        "set is wall against boot time, slept is boot time against time awake",
        arguments: [
            (later(), []),
            // A poll that takes an hour is neither.
            (later(wall: .hours(1), boot: .hours(1), awake: .hours(1)), []),
            (later(wall: .hours(1)), [.set(.hours(1))]),
            (later(wall: .zero - .hours(48)), [.set(.zero - .hours(48))]),
            (later(wall: .milliseconds(1999)), []),
            (later(wall: .zero - .milliseconds(1999)), []),
            (later(wall: .seconds(2)), [.set(.seconds(2))]),
            (later(wall: .hours(8), boot: .hours(8)), [.slept(.hours(8))]),
            (later(wall: .hours(9), boot: .hours(8)), [.slept(.hours(8)), .set(.hours(1))]),
            (later(boot: .hours(8)), [.slept(.hours(8)), .set(.zero - .hours(8))]),
        ] as [(ClockReading, [ClockJump])])
    func between(after: ClockReading, jumps: [ClockJump]) {
        #expect(ClockJump.between(Self.start, after) == jumps)
    }

    @Test("each is told once")
    func told() {
        let clocks = Mutex(Self.start)
        let lines = Lines()
        let log = EventLog(
            .init(label: "test") { _ in
                LineLogHandler(level: .info, outlets: [lines], now: { Self.start.wall })
            })
        var watch = ClockWatch { clocks.withLock(\.self) }
        watch.look(tellingTo: log)
        clocks.withLock { $0 = Self.later(wall: .zero - .milliseconds(3_599_600)) }
        watch.look(tellingTo: log)
        watch.look(tellingTo: log)
        #expect(
            lines.all.map { $0.text(.text) } == [
                "2026-11-21T10:00:00.000Z warning clock.jumped kind=set_back by=1h "
                    + "message=\"the clock was set back\"\n"
            ])
    }

    @Test("this machine's clocks can be read, and agree while nobody touches them")
    func system() {
        let (first, second) = (ClockReading.now(), ClockReading.now())
        #expect(first.boot >= first.awake - .seconds(1) && second.awake >= first.awake)
        #expect(first.awake > .zero)
    }
}
