import Foundation

/// The quiet hours of a channel: ranges of local time that come again each week.
package struct QuietHours: Hashable, Sendable, CustomStringConvertible {
    private let times: [Times]
    /// The quiet minutes of a week that begins on Monday at 00:00: ascending, apart from each other.
    private let minutes: [Range<Int>]

    private static let day = 24 * 60
    private static let week = 7 * day

    /// One range: `23:00-07:00`, `mon-fri 22:00-24:00`. The start is included, the end is not. It passes midnight if
    /// its end is not later than its start, and belongs to the day on which it starts.
    package struct Times: Hashable, Sendable, CustomStringConvertible {
        fileprivate var days = Weekdays.daily
        fileprivate var from: TimeOfDay
        /// Nil: `24:00`.
        fileprivate var to: TimeOfDay?

        /// Nil for anything but two different times with a hyphen between them, after days or none.
        package init?(_ text: some StringProtocol) {
            let start = text.firstIndex(where: \.isNumber) ?? text.startIndex
            let ends = text[start...].split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let from = TimeOfDay(ends[0]) else { return nil }
            self.from = from
            if ends[1] != "24:00" {
                guard let to = TimeOfDay(ends[1]), to != from else { return nil }
                self.to = to
            }
            let days = text[..<start]
            guard !days.isEmpty else { return }
            guard days.last == " ", let days = Weekdays(days) else { return nil }
            self.days = days
        }

        fileprivate var starts: [Int] {
            (0..<7).filter(days.contains).map { $0 * QuietHours.day + from.minutes }
        }

        fileprivate var length: Int {
            let end = to?.minutes ?? QuietHours.day
            return end > from.minutes ? end - from.minutes : end + QuietHours.day - from.minutes
        }

        package var description: String {
            let times = "\(from)-\(to?.description ?? "24:00")"
            return days == .daily ? times : "\(days) \(times)"
        }
    }

    /// Nil if there is no time, or no end: the times cover the whole week.
    package init?(_ times: [Times]) {
        self.times = times
        // What passes the end of the week is split there.
        let parts = times.flatMap { time in
            time.starts.map { $0..<$0 + time.length }.flatMap { part in
                [
                    part.clamped(to: 0..<Self.week),
                    max(0, part.lowerBound - Self.week)..<max(0, part.upperBound - Self.week),
                ]
            }
        }
        minutes = parts.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) {
            joined, part in
            if let last = joined.last, part.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, part.upperBound)
            } else {
                joined.append(part)
            }
        }
        guard let first = minutes.first, first != 0..<Self.week else { return nil }
    }

    /// When the quiet around `now` ends; nil if `now` is outside it.
    ///
    /// Local time decides: it is quiet while a clock in `zone` shows a time within the hours, also across
    /// daylight-saving changes.
    package func end(at now: Date, in zone: Zone) -> Date? {
        guard let rest = rest(at: Weekdays.secondsOfWeek(zone.wallTime(now))) else { return nil }
        let end = now.addingTimeInterval(rest)
        guard let change = zone.nextChange(after: now), change <= end else { return end }
        return self.end(at: change, in: zone) ?? change
    }

    /// How many seconds of quiet are left if no clock is set meanwhile; nil: none.
    private func rest(at seconds: TimeInterval) -> TimeInterval? {
        guard let part = minutes.first(where: { Double($0.upperBound * 60) > seconds }),
            Double(part.lowerBound * 60) <= seconds
        else { return nil }
        // Sunday's end is Monday's beginning.
        let goesOn = part.upperBound == Self.week && minutes[0].lowerBound == 0
        return Double((part.upperBound + (goesOn ? minutes[0].upperBound : 0)) * 60) - seconds
    }

    package var description: String { times.map(\.description).joined(separator: ", ") }
}
