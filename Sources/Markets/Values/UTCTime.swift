import Foundation

extension Date {
    /// Whole milliseconds since 1970, the resolution in which times are stored and compared. Clamped to a hundred
    /// million years.
    package var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded().clamped(to: -4e18...4e18)) }

    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// `2026-11-21T10:00:00Z`: UTC, whole seconds, truncated; clamped to the years 0000 to 9999.
    package var utcText: String { UTCTime(milliseconds: milliseconds).text(fraction: false) }

    /// Appends `utcText`: a status file holds hundreds.
    package func appendUTCText(to bytes: inout [UInt8]) {
        UTCTime(milliseconds: milliseconds).append(to: &bytes, fraction: false)
    }

    /// `2026-11-21T10:00:00.123Z`.
    package var utcTextWithMilliseconds: String { UTCTime(milliseconds: milliseconds).text(fraction: true) }

    /// Reads ISO 8601 with a zone (`2026-11-21T10:00:00.123Z`, `…+01:00`), any number of decimals; nil otherwise, and
    /// for what lies outside the years 0000 to 9999, UTC.
    package init?(utcText text: some StringProtocol) {
        let text = String(text)
        self.init(utcText: text.utf8.span)
    }

    /// The same for a text in UTF-8 bytes.
    package init?(utcText text: Span<UInt8>) {
        guard let time = UTCTime(parsing: text) else { return nil }
        self.init(milliseconds: time.milliseconds)
    }
}

/// Calendar arithmetic for UTC without a formatter: a log line, a status file and a CSV write thousands.
private struct UTCTime {
    let milliseconds: Int64

    /// The years 0000 to 9999, which four digits can write, in milliseconds since 1970.
    private static let writable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.writable.lowerBound), Self.writable.upperBound)
    }

    init?(parsing text: Span<UInt8>) {
        var at = 0
        guard let year = Self.number(4, text, &at), Self.take("-", text, &at),
            let month = Self.number(2, text, &at), Self.take("-", text, &at), let day = Self.number(2, text, &at),
            Self.take("T", text, &at) || Self.take("t", text, &at) || Self.take(" ", text, &at),
            let hour = Self.number(2, text, &at), Self.take(":", text, &at),
            let minute = Self.number(2, text, &at), Self.take(":", text, &at),
            let second = Self.number(2, text, &at),
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0
        if Self.take(".", text, &at) {
            let first = at
            while let digit = Self.number(1, text, &at) { if at - first <= 3 { fraction = fraction * 10 + digit } }
            guard at > first else { return nil }
            for _ in min(at - first, 3)..<3 { fraction *= 10 }
        }
        var offset = 0
        if !Self.take("Z", text, &at), !Self.take("z", text, &at) {
            _ = Self.take(" ", text, &at)
            let isEast = Self.take("+", text, &at)
            guard isEast || Self.take("-", text, &at), let hours = Self.number(2, text, &at) else { return nil }
            _ = Self.take(":", text, &at)
            guard let minutes = Self.number(2, text, &at), hours < 24, minutes < 60 else { return nil }
            offset = (hours * 60 + minutes) * (isEast ? 60 : -60)
        }
        guard at == text.count else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        milliseconds = Int64(seconds) * 1000 + Int64(fraction)
        // The zone's offset may lead out of the range.
        guard Self.writable.contains(milliseconds) else { return nil }
    }

    /// Reads `digits` digits as a number and advances `at`.
    private static func number(_ digits: Int, _ text: Span<UInt8>, _ at: inout Int) -> Int? {
        guard at + digits <= text.count else { return nil }
        var number = 0
        for place in at..<at + digits {
            let digit = text[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        at += digits
        return number
    }

    private static func take(_ letter: Unicode.Scalar, _ text: Span<UInt8>, _ at: inout Int) -> Bool {
        guard at < text.count, text[at] == UInt8(ascii: letter) else { return false }
        at += 1
        return true
    }

    func text(fraction: Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(to: &bytes, fraction: fraction)
        return String(decoding: bytes, as: UTF8.self)
    }

    func append(to bytes: inout [UInt8], fraction: Bool) {
        let (days, inDay) = Self.floorDivision(milliseconds, 86_400_000)
        let (year, month, day) = Self.date(daysSince1970: Int(days))
        let seconds = Int(inDay / 1000)
        Self.append(year, 4, "-", to: &bytes)
        Self.append(month, 2, "-", to: &bytes)
        Self.append(day, 2, "T", to: &bytes)
        Self.append(seconds / 3600, 2, ":", to: &bytes)
        Self.append(seconds / 60 % 60, 2, ":", to: &bytes)
        Self.append(seconds % 60, 2, fraction ? "." : "Z", to: &bytes)
        if fraction { Self.append(Int(inDay % 1000), 3, "Z", to: &bytes) }
    }

    private static func append(_ value: Int, _ digits: Int, _ end: Unicode.Scalar, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
        bytes.append(UInt8(ascii: end))
    }

    private static func floorDivision(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days in 400 years.
    private static let daysOfEra = 146_097
    /// Days from 1 March of the year −400 to 1970, so that all day counts are positive.
    private static let daysBefore1970 = 719_468 + daysOfEra

    /// Years begin in March here, so that the leap day is the last day of a year.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = (month <= 2 ? year - 1 : year) + 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - daysBefore1970
    }

    private static func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let days = daysSince1970 + daysBefore1970
        let era = days / daysOfEra - 1
        let dayOfEra = days % daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

/// A calendar month in UTC, the period of quotas.
package struct UTCMonth: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let year: Int
    /// 1 to 12.
    package let month: Int

    package init(year: Int, month: Int) {
        self.year = year
        self.month = month
    }

    package init(_ date: Date) {
        let parts = date.utcText.split(separator: "-")
        self.init(
            year: parts.first.flatMap { Int($0) } ?? 1970, month: parts.dropFirst().first.flatMap { Int($0) } ?? 1)
    }

    /// `2026-11`
    package var description: String {
        let year = String(year)
        return String(repeating: "0", count: max(0, 4 - year.count)) + year + (month < 10 ? "-0" : "-") + "\(month)"
    }

    package var next: UTCMonth {
        month == 12 ? UTCMonth(year: year + 1, month: 1) : UTCMonth(year: year, month: month + 1)
    }

    /// Its first moment.
    package var start: Date { Date(utcText: "\(self)-01T00:00:00Z") ?? .distantPast }
    /// The first moment of the next one.
    package var end: Date { next.start }

    package static func < (left: UTCMonth, right: UTCMonth) -> Bool {
        (left.year, left.month) < (right.year, right.month)
    }
}
