public import Foundation

extension Date {
    /// Whole milliseconds since 1970, the resolution in which times are stored and compared.
    public var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

    public init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// `2026-11-21T10:00:00Z`: UTC, whole seconds, cut off.
    public var utcText: String { UTCTime(milliseconds: milliseconds).text(fraction: false) }

    /// `2026-11-21T10:00:00.123Z`.
    public var utcTextWithMilliseconds: String { UTCTime(milliseconds: milliseconds).text(fraction: true) }

    /// Reads ISO 8601 with a zone (`2026-11-21T10:00:00.123Z`, `…+01:00`), any number of decimals; nil otherwise.
    public init?(utcText text: some StringProtocol) {
        guard let time = UTCTime(parsing: text) else { return nil }
        self.init(milliseconds: time.milliseconds)
    }
}

/// Calendar arithmetic for UTC without a formatter: a log line, a status file and a CSV write thousands.
private struct UTCTime {
    let milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init?(parsing text: some StringProtocol) {
        var bytes = Array(text.utf8)[...]
        func number(_ digits: Int) -> Int? {
            guard bytes.count >= digits, bytes.prefix(digits).allSatisfy(\.isDigit) else { return nil }
            defer { bytes = bytes.dropFirst(digits) }
            return bytes.prefix(digits).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        func take(_ accepted: String) -> UInt8? {
            guard let first = bytes.first, accepted.utf8.contains(first) else { return nil }
            bytes = bytes.dropFirst()
            return first
        }
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2),
            take("Tt ") != nil, let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
            let second = number(2), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0
        if take(".") != nil {
            let digits = bytes.prefix(while: \.isDigit)
            guard !digits.isEmpty else { return nil }
            for place in 0..<3 {
                let digit = digits.dropFirst(place).first.map { Int($0 - UInt8(ascii: "0")) } ?? 0
                fraction = fraction * 10 + digit
            }
            bytes = bytes.dropFirst(digits.count)
        }
        var offset = 0
        if take("Zz") == nil {
            _ = take(" ")
            guard let sign = take("+-"), let hours = number(2) else { return nil }
            _ = take(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "+") ? 60 : -60)
        }
        guard bytes.isEmpty else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        milliseconds = Int64(seconds) * 1000 + Int64(fraction)
    }

    func text(fraction: Bool) -> String {
        let (days, inDay) = Self.floorDivision(milliseconds, 86_400_000)
        let (year, month, day) = Self.date(daysSince1970: Int(days))
        let seconds = Int(inDay / 1000)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        func append(_ value: Int, _ digits: Int, _ separator: Character?) {
            var divisor = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
                divisor /= 10
            }
            if let ascii = separator?.asciiValue { bytes.append(ascii) }
        }
        append(year, 4, "-")
        append(month, 2, "-")
        append(day, 2, "T")
        append(seconds / 3600, 2, ":")
        append(seconds / 60 % 60, 2, ":")
        append(seconds % 60, 2, fraction ? "." : nil)
        if fraction { append(Int(inDay % 1000), 3, nil) }
        bytes.append(UInt8(ascii: "Z"))
        return String(decoding: bytes, as: UTF8.self)
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

    /// Days are counted in years that begin in March, so that the leap day is the last of them.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    private static func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let days = daysSince1970 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
