public import Foundation

/// Which part of a window was watched: the time between usable polls that follow each other closely enough.
///
/// Adding a poll and asking cost the same however long the window is.
public struct Coverage: Sendable {
    public let window: Duration
    /// Two polls further apart leave a gap.
    public let longestStep: Duration
    private var polls: [Int64] = []
    private var first = 0
    private var covered: Int64 = 0

    public init(window: Duration, longestStep: Duration) {
        self.window = window
        self.longestStep = longestStep
    }

    /// Takes note of a usable poll; one that is not later than the last is passed over (a clock stepped back).
    public mutating func add(_ poll: Date) {
        let poll = poll.milliseconds
        if let last = polls.last {
            guard poll > last else { return }
            covered += step(from: last, to: poll)
        }
        polls.append(poll)
        forget(before: poll - window.inMilliseconds)
    }

    /// The share of the window that ends at `now`.
    public func share(at now: Date) -> CoverageShare {
        CoverageShare(covered: watched(at: now), of: window.inMilliseconds)
    }

    /// How much of the window was watched, in milliseconds.
    private func watched(at now: Date) -> Int64 {
        let end = now.milliseconds
        let start = end - window.inMilliseconds
        var sum = covered
        var index = first
        // What lies before the window; polls are forgotten only when the next one comes.
        while index + 1 < polls.count, polls[index] < start {
            let next = polls[index + 1]
            sum -= step(from: polls[index], to: next)
            if next > start, step(from: polls[index], to: next) > 0 { sum += next - start }
            index += 1
        }
        if let last = polls.last, last < end { sum += step(from: max(last, start), to: end) }
        return max(0, min(window.inMilliseconds, sum))
    }

    private func step(from earlier: Int64, to later: Int64) -> Int64 {
        later - earlier <= longestStep.inMilliseconds ? later - earlier : 0
    }

    /// Keeps one poll from before the window, whose step may reach into it.
    private mutating func forget(before start: Int64) {
        while first + 1 < polls.count, polls[first + 1] <= start {
            covered -= step(from: polls[first], to: polls[first + 1])
            first += 1
        }
        if first > 1024, first > polls.count / 2 {
            polls.removeFirst(first)
            first = 0
        }
    }
}

extension Coverage {
    /// The share of several lanes' windows, all of one length, each counted as often as it has markets.
    public static func share(of lanes: [(coverage: Coverage, markets: Int)], at now: Date) -> CoverageShare {
        var (covered, whole): (Int64, Int64) = (0, 0)
        for (coverage, markets) in lanes {
            covered += coverage.watched(at: now) * Int64(markets)
            whole += coverage.window.inMilliseconds * Int64(markets)
        }
        return CoverageShare(covered: covered, of: whole)
    }
}

/// A share in percent with one decimal, rounded down, so that 100 means all of it.
public struct CoverageShare: Hashable, Sendable, CustomStringConvertible {
    /// 0 to 1000.
    public let tenths: Int

    public init(tenths: Int) { self.tenths = tenths }

    init(covered: Int64, of whole: Int64) {
        tenths = whole > 0 ? Int(covered * 1000 / whole) : 0
    }

    public var description: String {
        tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
