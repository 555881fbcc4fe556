import Foundation
import Markets

/// One moment on the system's clocks. Records use the wall clock, schedules the uptime.
package struct Moment: Hashable, Sendable {
    package var wall: Date
    /// Since boot, sleep included.
    package var uptime: Duration
    /// Since boot, without sleep.
    package var awake: Duration

    package init(wall: Date, uptime: Duration, awake: Duration) {
        self.wall = wall
        self.uptime = uptime
        self.awake = awake
    }

    /// The uptime at a wall-clock time; the present uptime if that time has passed. One millisecond later, because times
    /// are compared by milliseconds: a wake-up that is early by less would find nothing to do.
    func uptime(at date: Date) -> Duration { uptime + max(.zero, date.since(wall)) + .milliseconds(1) }
}

/// A clock change or a sleep between two moments.
enum ClockJump: Hashable, Sendable {
    /// The wall clock was set, forward or (below zero) back.
    case set(Duration)
    /// The machine slept for this long.
    case slept(Duration)

    /// The shortest jump that is reported. Less may be a leap second, or a delay between reading the three clocks.
    static let least = Duration.seconds(2)

    static func between(_ before: Moment, _ after: Moment) -> [ClockJump] {
        let passed = after.uptime - before.uptime
        let set = after.wall.since(before.wall) - passed
        let slept = passed - (after.awake - before.awake)
        var jumps: [ClockJump] = []
        if slept >= least { jumps.append(.slept(slept)) }
        if set >= least || set <= .zero - least { jumps.append(.set(set)) }
        return jumps
    }

    var logLine: LogLine {
        let (kind, length, message) =
            switch self {
            case .slept(let length): ("slept", length, "the machine slept; nothing was watched meanwhile")
            case .set(let step) where step < .zero: ("set_back", .zero - step, "the clock was set back")
            case .set(let step): ("set_forward", step, "the clock was set forward")
            }
        return LogLine(.warning, "clock.jumped") { line in
            line.add("kind", kind)
            line.add("by", Duration.seconds((length.inMilliseconds + 500) / 1000))
            line.add("message", message)
        }
    }
}
