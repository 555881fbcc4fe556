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
        LogLine(.warning, "clock.jumped") { line in
            switch self {
            case .slept(let duration):
                line.add("kind", "slept")
                line.add("by", duration.rounded)
                line.add("message", "the machine slept; nothing was watched meanwhile")
            case .set(let duration) where duration < .zero:
                line.add("kind", "set_back")
                line.add("by", (.zero - duration).rounded)
                line.add("message", "the clock was set back")
            case .set(let duration):
                line.add("kind", "set_forward")
                line.add("by", duration.rounded)
                line.add("message", "the clock was set forward")
            }
        }
    }
}

extension Duration {
    /// To the whole second.
    fileprivate var rounded: Duration { .seconds((inMilliseconds + 500) / 1000) }
}
