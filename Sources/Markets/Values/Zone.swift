import Foundation

/// A time zone as zoneinfo has it: what its clocks show, and the abbreviation that people know for it.
///
/// Foundation's zones have the same offsets, but no abbreviation for most of them (`GMT+1`), and ask ICU's data, which
/// takes megabytes.
package struct Zone: Hashable, Sendable {
    /// `Europe/Berlin`
    package var name: String
    /// The moments at which the clocks changed, in seconds since 1970, ascending.
    let changes: [Int64]
    /// The clocks before the first change, then those after each.
    let clocks: [Clock]
    /// How the clocks go on after the last change; nil: as after it.
    let rule: ZoneRule?

    /// The clocks of a zone between two changes.
    package struct Clock: Hashable, Sendable {
        /// Seconds east of Greenwich.
        var offset: Int
        /// `CET`, `+1030`
        var abbreviation: String
    }

    package static let utc = Zone(
        name: "UTC", changes: [], clocks: [Clock(offset: 0, abbreviation: "UTC")], rule: nil)

    /// A zone of this machine's database; nil: it has none of this name. UTC needs no database.
    package init?(named name: String, in folder: String = "/usr/share/zoneinfo") {
        if name == "UTC" || name == "Etc/UTC" {
            self = .utc
            return
        }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else { return nil }
        self.init(name: name, file: "\(folder)/\(name)")
    }

    /// - Parameter file: Its path. The largest of zoneinfo have less than 4 KiB.
    package init?(name: String, file: String) {
        guard let handle = FileHandle(forReadingAtPath: file), let data = try? handle.read(upToCount: 64 << 10) else {
            return nil
        }
        self.init(name: name, contents: Array(data))
    }

    init(name: String, changes: [Int64], clocks: [Clock], rule: ZoneRule?) {
        self.name = name
        self.changes = changes
        self.clocks = clocks
        self.rule = rule
    }

    /// `CET`, `+1030`
    package func abbreviation(at date: Date) -> String { clock(at: date).abbreviation }

    func clock(at date: Date) -> Clock {
        let seconds = Self.seconds(date)
        if let rule, seconds >= changes.last ?? .min { return rule.clock(at: seconds) }
        return clocks[changesUntil(seconds)]
    }

    /// The number of changes at or before this moment.
    private func changesUntil(_ seconds: Int64) -> Int {
        var range = 0..<changes.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = changes[middle] <= seconds ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private static func seconds(_ date: Date) -> Int64 {
        Int64((Double(date.milliseconds) / 1000).rounded(.down))
    }
}

// MARK: What clocks show

/// Wall time is counted in seconds since 1970, as if the clocks had never changed.
extension Zone {
    /// What the clocks show at this moment.
    package func wallTime(_ date: Date) -> TimeInterval { date.timeIntervalSince1970 + Double(clock(at: date).offset) }

    /// The moment at which the clocks show this. If they show it twice (set back), the first; if they skip it, as long
    /// after midnight as on any other day.
    package func moment(showing wallTime: TimeInterval) -> Date { moments(showing: wallTime)[0] }

    /// Two, if the clocks are set back over this time; never none, see `moment(showing:)`.
    package func moments(showing wallTime: TimeInterval) -> [Date] {
        let day = 86_400.0
        let (before, after) = (
            moment(of: wallTime, around: wallTime - day), moment(of: wallTime, around: wallTime + day)
        )
        let shown = [before, after].filter { self.wallTime($0) == wallTime }
        guard let first = shown.min(), let last = shown.max() else { return [before] }
        return first == last ? [first] : [first, last]
    }

    private func moment(of wallTime: TimeInterval, around seconds: TimeInterval) -> Date {
        let offset = clock(at: Date(timeIntervalSince1970: seconds)).offset
        return Date(timeIntervalSince1970: wallTime - Double(offset))
    }

    /// When the clocks change next; nil: never again.
    package func nextChange(after date: Date) -> Date? {
        let seconds = Self.seconds(date)
        let next = changesUntil(seconds)
        let change = next < changes.count ? changes[next] : rule?.nextChange(after: seconds)
        return change.map { Date(timeIntervalSince1970: Double($0)) }
    }
}

// MARK: Times for people

extension Zone {
    /// What is written of a moment: `2026-11-21 10:00:00`, `2026-11-21 10:00`, `10:00:00`, `10:00`.
    package enum Precision: Sendable {
        case seconds, minutes, secondsOfDay, minutesOfDay
    }

    /// `2026-11-21 11:00:00 CET`
    package func text(_ date: Date, _ precision: Precision = .seconds) -> String {
        "\(digits(date, precision)) \(clock(at: date).abbreviation)"
    }

    /// `2026-11-20 11:00 to 2026-11-21 11:00 CET`; the second day and the first abbreviation only if they differ.
    package func text(from start: Date, to end: Date, _ precision: Precision = .seconds) -> String {
        let isSameClock = clock(at: start).abbreviation == clock(at: end).abbreviation
        let from = isSameClock ? digits(start, precision) : text(start, precision)
        let isSameDay = digits(start).prefix(10) == digits(end).prefix(10)
        let to = text(end, precision)
        return "\(from) to \(isSameDay && to.contains("-") ? String(to.dropFirst(11)) : to)"
    }

    /// As `text`, without the abbreviation.
    package func digits(_ date: Date, _ precision: Precision = .seconds) -> String {
        var bytes: [UInt8] = []
        UTCTime.append(Date(timeIntervalSince1970: wallTime(date)).milliseconds, fraction: false, to: &bytes)
        bytes[10] = UInt8(ascii: " ")
        let shown =
            switch precision {
            case .seconds: 0..<19
            case .minutes: 0..<16
            case .secondsOfDay: 11..<19
            case .minutesOfDay: 11..<16
            }
        return String(decoding: bytes[shown], as: UTF8.self)
    }

    /// Reads `2026-11-21`, its midnight, `2026-11-21 10:00` and `2026-11-21T10:00:00`; nil for anything else.
    package static func wallTime(reading text: String) -> TimeInterval? {
        let missing = [10: "T00:00:00", 16: ":00"][text.utf8.count] ?? ""
        return Date(utcText: text + missing + "Z")?.timeIntervalSince1970
    }

    /// A text for programs, with its times as people read them.
    package func local(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let time = word.prefix(20)
            return Date(utcText: time).map { self.text($0) + word.dropFirst(20) } ?? String(word)
        }.joined(separator: " ")
    }
}
