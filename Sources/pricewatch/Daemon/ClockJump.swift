import Foundation
import Glibc
import Markets

/// The system's three clocks at one moment: side by side they say whether the time was set, or the machine slept.
struct ClockReading: Hashable, Sendable {
    var wall: Date
    /// Since boot, sleep included.
    var boot: Duration
    /// Since boot, without sleep.
    var awake: Duration

    static func now() -> ClockReading {
        ClockReading(wall: Date(), boot: read(CLOCK_BOOTTIME), awake: read(CLOCK_MONOTONIC))
    }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// What happened to time between two readings.
enum ClockJump: Hashable, Sendable {
    /// The wall clock was set, forward or (below zero) back.
    case set(Duration)
    /// The machine slept for so long.
    case slept(Duration)

    /// Less may be a leap second, or a busy machine that took its time to read three clocks.
    static let least = Duration.seconds(2)

    static func between(_ before: ClockReading, _ after: ClockReading) -> [ClockJump] {
        let passed = after.boot - before.boot
        let set = after.wall.since(before.wall) - passed
        let slept = passed - (after.awake - before.awake)
        var jumps: [ClockJump] = []
        if slept >= least { jumps.append(.slept(slept)) }
        if set >= least || set <= .zero - least { jumps.append(.set(set)) }
        return jumps
    }
}

/// Compares the clocks from tick to tick and tells the log of what happened to them.
struct ClockWatch: Sendable {
    private(set) var trust = ClockTrust.unproven
    private let read: @Sendable () -> ClockReading
    private var last: ClockReading

    init(reading read: @escaping @Sendable () -> ClockReading = ClockReading.now) {
        self.read = read
        last = read()
    }

    mutating func look(tellingTo log: EventLog) {
        let now = read()
        for jump in ClockJump.between(last, now) {
            log.write(.warning, "clock.jumped", jump.describe)
            if case .set = jump, trust == .confirmed { trust = .unproven }
        }
        last = now
    }

    /// - Parameter verdict: of a turn's answers; nil: there is none.
    mutating func hear(_ verdict: ClockTrust?) { trust = verdict ?? trust }
}

extension ClockJump {
    fileprivate func describe(_ line: inout LogFields) {
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

extension Duration {
    /// To the whole second, as a clock that was set is told of.
    fileprivate var rounded: Duration { .seconds((inMilliseconds + 500) / 1000) }
}
