import Foundation

extension Date {
    /// Whole milliseconds since 1970, the resolution in which times are stored and compared. Clamped to a hundred
    /// million years.
    package var milliseconds: Int64 { Int64(min(max((timeIntervalSince1970 * 1000).rounded(), -4e18), 4e18)) }

    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// `2026-11-21T10:00:00Z`: UTC, whole seconds, truncated; clamped to the years 0000 to 9999.
    package var utcText: String { UTCTime.text(milliseconds, fraction: false) }

    /// Appends `utcText`: a status file holds hundreds.
    package func appendUTCText(to bytes: inout [UInt8]) { UTCTime.append(milliseconds, fraction: false, to: &bytes) }

    /// `2026-11-21T10:00:00.123Z`.
    package var utcTextWithMilliseconds: String { UTCTime.text(milliseconds, fraction: true) }

    /// Reads ISO 8601 with a zone (`2026-11-21T10:00:00.123Z`, `…+01:00`), any number of decimals; nil otherwise, and
    /// for what lies outside the years 0000 to 9999, UTC.
    package init?(utcText text: some StringProtocol) {
        let text = String(text)
        self.init(utcText: text.utf8.span)
    }

    /// The same for a text in UTF-8 bytes.
    package init?(utcText text: Span<UInt8>) {
        guard let milliseconds = UTCTime.milliseconds(of: text) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

/// UTC without a formatter: a log line, a status file and a CSV hold thousands of times.
enum UTCTime {
    /// The years 0000 to 9999, which four digits can write, in milliseconds since 1970.
    private static let writable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    static func text(_ milliseconds: Int64, fraction: Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(milliseconds, fraction: fraction, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func append(_ milliseconds: Int64, fraction: Bool, to bytes: inout [UInt8]) {
        let time = min(max(milliseconds, writable.lowerBound), writable.upperBound)
        let inSecond = ((time % 1000) + 1000) % 1000
        var seconds = time_t((time - inSecond) / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        append(Int(parts.tm_year) + 1900, digits: 4, "-", to: &bytes)
        append(Int(parts.tm_mon) + 1, digits: 2, "-", to: &bytes)
        append(Int(parts.tm_mday), digits: 2, "T", to: &bytes)
        append(Int(parts.tm_hour), digits: 2, ":", to: &bytes)
        append(Int(parts.tm_min), digits: 2, ":", to: &bytes)
        append(Int(parts.tm_sec), digits: 2, fraction ? "." : "Z", to: &bytes)
        if fraction { append(Int(inSecond), digits: 3, "Z", to: &bytes) }
    }

    private static func append(_ value: Int, digits: Int, _ end: Unicode.Scalar, to bytes: inout [UInt8]) {
        for place in (0..<digits).reversed() {
            bytes.append(UInt8(ascii: "0") + UInt8(value / Int(PowersOfTen.integer[place]) % 10))
        }
        bytes.append(UInt8(ascii: end))
    }

    static func milliseconds(of text: Span<UInt8>) -> Int64? {
        guard text.count >= 20, let year = number(text, 0, digits: 4), isAny("-", text, 4),
            let month = number(text, 5, digits: 2), isAny("-", text, 7), let day = number(text, 8, digits: 2),
            isAny("Tt ", text, 10), let hour = number(text, 11, digits: 2), isAny(":", text, 13),
            let minute = number(text, 14, digits: 2), isAny(":", text, 16), let second = number(text, 17, digits: 2),
            (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var at = 19
        var fraction = 0
        if isAny(".", text, at) {
            at += 1
            guard number(text, at, digits: 1) != nil else { return nil }
            var unit = 100
            while let digit = number(text, at, digits: 1) {
                fraction += digit * unit
                unit /= 10
                at += 1
            }
        }
        guard let offset = secondsEast(text, at) else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        let milliseconds = Int64(seconds) * 1000 + Int64(fraction)
        // The zone's offset may lead out of the range.
        return writable.contains(milliseconds) ? milliseconds : nil
    }

    /// Reads the zone, `Z` or `+01:00` at the end of the text; nil for anything else.
    private static func secondsEast(_ text: Span<UInt8>, _ start: Int) -> Int? {
        if isAny("Zz", text, start) { return start + 1 == text.count ? 0 : nil }
        let sign = isAny(" ", text, start) ? start + 1 : start
        guard isAny("+-", text, sign), let hours = number(text, sign + 1, digits: 2), hours < 24 else { return nil }
        let colon = isAny(":", text, sign + 3) ? 1 : 0
        guard let minutes = number(text, sign + 3 + colon, digits: 2), minutes < 60, sign + 5 + colon == text.count
        else { return nil }
        return (hours * 60 + minutes) * (text[sign] == UInt8(ascii: "-") ? -60 : 60)
    }

    private static func isAny(_ letters: StaticString, _ text: Span<UInt8>, _ place: Int) -> Bool {
        guard place < text.count else { return false }
        let letter = text[place]
        return letters.withUTF8Buffer { $0.contains(letter) }
    }

    private static func number(_ text: Span<UInt8>, _ place: Int, digits: Int) -> Int? {
        guard place + digits <= text.count else { return nil }
        var number = 0
        for at in place..<place + digits {
            guard text[at].isDigit else { return nil }
            number = number * 10 + Int(text[at] - UInt8(ascii: "0"))
        }
        return number
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counts years that begin in March, so that the leap day is the last day of a year, and from the year −400, so
    /// that all counts are positive.
    static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = (month <= 2 ? year - 1 : year) + 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let daysBefore1970 = 719_468 + 146_097
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - daysBefore1970
    }
}

/// A calendar month in UTC, the period of quotas.
package struct UTCMonth: Hashable, Sendable, CustomStringConvertible {
    /// `2026-11`
    package let description: String

    package init(_ date: Date) { description = String(date.utcText.prefix(7)) }

    /// The first moment of the next month.
    package var end: Date {
        let start = Date(utcText: description + "-01T00:00:00Z") ?? .distantPast
        // Every month ends within 32 days of its start, and the next one does not.
        return Date(utcText: "\((start + .hours(32 * 24)).utcText.prefix(7))-01T00:00:00Z") ?? .distantFuture
    }
}
