import Foundation

extension Zone {
    /// Reads a file of zoneinfo (TZif, RFC 8536); nil for what is none. Files of before 2006, which end in 2037, and
    /// those that count leap seconds are not read.
    package init?(name: String, contents: [UInt8]) {
        var file = ZoneFile(rest: contents[...])
        guard let old = file.header(), old.version >= UInt8(ascii: "2"), old.leapSeconds == 0 else { return nil }
        // Its first block has the years up to 2037 alone, and is there for programs that know no other.
        guard file.take(old.length(timeSize: 4)) != nil, let header = file.header() else { return nil }
        guard header.leapSeconds == 0, let block = file.take(header.length(timeSize: 8)) else { return nil }

        var body = ZoneFile(rest: block)
        var changes: [Int64] = []
        for _ in 0..<header.changes { changes.append(Int64(body.number(8) ?? 0)) }
        let clockNumbers = body.take(header.changes) ?? []
        var described: [(offset: Int, text: Int)] = []
        for _ in 0..<header.clocks {
            let offset = Int(Int32(truncatingIfNeeded: body.number(4) ?? 0))
            _ = body.take(1)
            described.append((offset, body.number(1) ?? 0))
        }
        let texts = body.take(header.texts) ?? []
        let kinds = described.compactMap { offset, place -> Clock? in
            let text = texts.dropFirst(place).prefix { $0 != 0 }
            return Clock(offset: offset, abbreviation: String(decoding: text, as: UTF8.self)).valid
        }
        guard kinds.count == header.clocks, !kinds.isEmpty, clockNumbers.allSatisfy({ $0 < kinds.count }),
            zip(changes, changes.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }

        let footer = String(decoding: file.rest, as: UTF8.self).split(separator: "\n", maxSplits: 1)
        let rule = footer.first.flatMap { ZoneRule($0) }
        guard footer.isEmpty || rule != nil else { return nil }
        self.init(name: name, changes: changes, clocks: [kinds[0]] + clockNumbers.map { kinds[Int($0)] }, rule: rule)
    }

    /// Reads the rule of a zone (POSIX), as `$TZ` may hold one: `CET-1CEST,M3.5.0,M10.5.0/3`.
    package init?(posix text: String) {
        guard let rule = ZoneRule(text[...]) else { return nil }
        self.init(name: text, changes: [], clocks: [rule.standard], rule: rule)
    }
}

/// What is left to read of a file.
private struct ZoneFile {
    var rest: ArraySlice<UInt8>

    struct Header {
        var version: UInt8
        var flags: Int
        var leapSeconds: Int
        var changes: Int
        var clocks: Int
        var texts: Int

        /// Of the block behind the header, in bytes.
        func length(timeSize: Int) -> Int {
            changes * (timeSize + 1) + clocks * 6 + texts + leapSeconds * (timeSize + 4) + flags
        }
    }

    mutating func header() -> Header? {
        guard let head = take(20), head.starts(with: Array("TZif".utf8)), let counts = take(24) else { return nil }
        var reader = ZoneFile(rest: counts)
        let numbers = (0..<6).compactMap { _ in reader.number(4) }
        return Header(
            version: head[head.startIndex + 4], flags: numbers[0] + numbers[1], leapSeconds: numbers[2],
            changes: numbers[3], clocks: numbers[4], texts: numbers[5])
    }

    /// nil: fewer are left.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Big-endian; of fewer than eight bytes without a sign.
    mutating func number(_ size: Int) -> Int? {
        take(size)?.reduce(0) { $0 << 8 | Int($1) }
    }
}

extension Zone.Clock {
    /// nil: no clock of a place on Earth, or no abbreviation as POSIX has them.
    fileprivate var valid: Zone.Clock? {
        let isPlain = abbreviation.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"),
                UInt8(ascii: "-"):
                true
            default: $0.isDigit
            }
        }
        return isPlain && (1...12).contains(abbreviation.utf8.count) && abs(offset) < 26 * 3600 ? self : nil
    }
}

/// How the clocks change year after year (POSIX, with the hours of RFC 8536).
struct ZoneRule: Hashable, Sendable {
    var standard: Zone.Clock
    /// nil: the clocks do not change.
    fileprivate var summer: Summer?

    fileprivate struct Summer: Hashable, Sendable {
        var clock: Zone.Clock
        /// When it begins, as the standard clock shows it, and when it ends, as the summer's does.
        var start: Day
        var end: Day
    }

    fileprivate enum Day: Hashable, Sendable {
        /// The weekday's first, second, third or fourth occurrence in a month, or (5) its last; 0 is Sunday.
        case weekday(month: Int, week: Int, day: Int, time: Int)
        /// The day of the year, from 0; `leap`: 29 February counts.
        case number(Int, leap: Bool, time: Int)

        /// Seconds since 1970, as if this were UTC.
        func wallTime(in year: Int) -> Int {
            func day(_ month: Int, _ year: Int) -> Int { UTCTime.daysSince1970(year: year, month: month, day: 1) }
            switch self {
            case .number(let number, let leap, let time):
                let isLate = !leap && number >= 59 && day(3, year) - day(1, year) == 60
                return (day(1, year) + number + (isLate ? 1 : 0)) * 86_400 + time
            case .weekday(let month, let week, let weekday, let time):
                let first = day(month, year)
                let end = month == 12 ? day(1, year + 1) : day(month + 1, year)
                // 1 January 1970 was a Thursday.
                let ahead = (weekday - (first + 4) % 7 + 7) % 7
                var found = first + ahead + (week - 1) * 7
                if found >= end { found -= 7 }
                return found * 86_400 + time
            }
        }
    }

    func clock(at seconds: Int64) -> Zone.Clock {
        guard let summer else { return standard }
        let changes = changes(in: year(of: seconds), summer)
        let isSummer =
            changes.start < changes.end
            ? (changes.start..<changes.end).contains(seconds) : seconds < changes.end || seconds >= changes.start
        return isSummer ? summer.clock : standard
    }

    func nextChange(after seconds: Int64) -> Int64? {
        guard let summer else { return nil }
        let year = year(of: seconds)
        return [year, year + 1].flatMap { year in
            let changes = changes(in: year, summer)
            return [changes.start, changes.end]
        }.filter { $0 > seconds }.min()
    }

    private func changes(in year: Int, _ summer: Summer) -> (start: Int64, end: Int64) {
        (
            Int64(summer.start.wallTime(in: year) - standard.offset),
            Int64(summer.end.wallTime(in: year) - summer.clock.offset)
        )
    }

    private func year(of seconds: Int64) -> Int {
        var time = time_t(seconds) + standard.offset
        var parts = tm()
        gmtime_r(&time, &parts)
        return Int(parts.tm_year) + 1900
    }
}

// MARK: Reading

extension ZoneRule {
    init?(_ text: Substring) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        var names = parts[0]
        guard let name = Self.name(&names), let west = Self.offset(&names),
            let standard = Zone.Clock(offset: -west, abbreviation: name).valid
        else { return nil }
        self.standard = standard
        if names.isEmpty, parts.count == 1 { return }
        guard let name = Self.name(&names), parts.count == 3, let start = Day(parts[1]), let end = Day(parts[2]) else {
            return nil
        }
        let summer = names.isEmpty ? west - 3600 : Self.offset(&names)
        guard let summer, names.isEmpty, let clock = Zone.Clock(offset: -summer, abbreviation: name).valid else {
            return nil
        }
        self.summer = Summer(clock: clock, start: start, end: end)
    }

    /// `CET`, `<+1030>`
    private static func name(_ text: inout Substring) -> String? {
        let isQuoted = text.hasPrefix("<")
        let name = isQuoted ? text.dropFirst().prefix { $0 != ">" } : text.prefix { $0.isASCII && $0.isLetter }
        guard !name.isEmpty, !isQuoted || name.endIndex < text.endIndex else { return nil }
        text = text[name.endIndex...].dropFirst(isQuoted ? 1 : 0)
        return String(name)
    }

    /// Seconds west of Greenwich.
    private static func offset(_ text: inout Substring) -> Int? {
        let offset = text.prefix { "+-:0123456789".contains($0) }
        text = text[offset.endIndex...]
        return time(offset)
    }

    /// `-1`, `2:30`, `26`, in seconds.
    fileprivate static func time(_ text: Substring) -> Int? {
        let isSigned = text.hasPrefix("-") || text.hasPrefix("+")
        let parts = text.dropFirst(isSigned ? 1 : 0).split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count <= 3 ? UInt16($0) : nil }.map(Int.init)
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
        let seconds = zip(numbers, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
        return text.hasPrefix("-") ? -seconds : seconds
    }
}

extension ZoneRule.Day {
    /// `M10.5.0/3`, `J60`, `59`; at 02:00 if there is no time.
    fileprivate init?(_ text: Substring) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let time = parts.count == 2 ? ZoneRule.time(parts[1]) : 2 * 3600, let sign = text.first else {
            return nil
        }
        let numbers = parts[0].dropFirst(sign.isLetter ? 1 : 0).split(separator: ".").compactMap { Int($0) }
        switch (sign, numbers.count) {
        case ("M", 3):
            guard (1...12).contains(numbers[0]), (1...5).contains(numbers[1]), (0...6).contains(numbers[2]) else {
                return nil
            }
            self = .weekday(month: numbers[0], week: numbers[1], day: numbers[2], time: time)
        case ("J", 1) where (1...365).contains(numbers[0]): self = .number(numbers[0] - 1, leap: false, time: time)
        case ("0"..."9", 1) where (0...365).contains(numbers[0]): self = .number(numbers[0], leap: true, time: time)
        default: return nil
        }
    }
}
