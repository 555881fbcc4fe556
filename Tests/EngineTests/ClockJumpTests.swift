import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct ClockJumpTests {
    private static let start = Moment(wall: moment(), uptime: .seconds(5000), awake: .seconds(4000))

    /// A minute later, while this much more passed on each clock.
    private static func later(
        wall: Duration = .zero, uptime: Duration = .zero, awake: Duration = .zero
    ) -> Moment {
        Moment(
            wall: start.wall + .minutes(1) + wall, uptime: start.uptime + .minutes(1) + uptime,
            awake: start.awake + .minutes(1) + awake)
    }

    @Test(
        "set is wall against uptime, slept is uptime against time awake",
        arguments: [
            (later(), []),
            // A poll that takes an hour is neither.
            (later(wall: .hours(1), uptime: .hours(1), awake: .hours(1)), []),
            (later(wall: .hours(1)), [.set(.hours(1))]),
            (later(wall: .zero - .hours(48)), [.set(.zero - .hours(48))]),
            (later(wall: .milliseconds(1999)), []),
            (later(wall: .zero - .milliseconds(1999)), []),
            (later(wall: .seconds(2)), [.set(.seconds(2))]),
            (later(wall: .hours(8), uptime: .hours(8)), [.slept(.hours(8))]),
            (later(wall: .hours(9), uptime: .hours(8)), [.slept(.hours(8)), .set(.hours(1))]),
            (later(uptime: .hours(8)), [.slept(.hours(8)), .set(.zero - .hours(8))]),
        ] as [(Moment, [ClockJump])])
    func between(after: Moment, jumps: [ClockJump]) {
        #expect(ClockJump.between(Self.start, after) == jumps)
    }

    @Test("each is logged once")
    func logged() {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1")]])
        scene.poll()
        scene.set(by: .zero - .milliseconds(3_599_600))
        scene.poll(2)
        let lines = scene.log.filter { $0.event == "clock.jumped" }
        #expect(lines.map(\.level) == [.warning])
        #expect(scene.log("clock.jumped") == [" kind=set_back by=1h message=\"the clock was set back\""])
    }

    @Test("a sleep is logged with how long it took")
    func slept() {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1")]])
        scene.poll()
        scene.sleep(.hours(8))
        scene.poll()
        #expect(
            scene.log("clock.jumped") == [
                " kind=slept by=8h message=\"the machine slept; nothing was watched meanwhile\""
            ])
    }
}
