import Foundation

extension Duration {
    /// Reads `90s`, `1h30m`, `2w`: units `w d h m s ms`, largest first, each once; nil for anything else,
    /// also beyond 1000 years.
    package init?(unitsText text: some StringProtocol) {
        guard let milliseconds = Self.read(text), milliseconds <= Self.longest else { return nil }
        self = .milliseconds(milliseconds)
    }

    /// Whether `text` is a valid duration but beyond 1000 years.
    package static func isTooLong(unitsText text: some StringProtocol) -> Bool { (read(text) ?? 0) > longest }

    private static let longest: Int64 = 31_536_000_000_000

    /// In milliseconds, at most one more than `longest`; nil for what is no duration.
    private static func read(_ text: some StringProtocol) -> Int64? {
        var rest = text.utf8[...]
        var total: Int64 = 0
        var smallest = Int64.max
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix(while: \.isDigit)
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { !$0.isDigit }
            rest = rest.dropFirst(letters.count)
            guard !digits.isEmpty, let unit = units.first(where: { $0.name.utf8.elementsEqual(letters) }),
                unit.milliseconds < smallest
            else { return nil }
            let count = Int64(String(decoding: digits, as: UTF8.self)) ?? longest + 1
            total = min(longest + 1, total + min(count, longest / unit.milliseconds + 1) * unit.milliseconds)
            smallest = unit.milliseconds
        }
        return total
    }

    /// The shortest text that `init(unitsText:)` reads back: `1h30m`, `0s`.
    package var unitsText: String {
        var rest = inMilliseconds
        guard rest > 0 else { return "0s" }
        var text = ""
        for unit in Self.units where unit.name != "w" || rest % unit.milliseconds == 0 {
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: unit.milliseconds)
            if count > 0 { text += "\(count)\(unit.name)" }
            rest = remainder
        }
        return text
    }

    private static let units: [(name: String, milliseconds: Int64)] = [
        ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    package var inMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    package var inSeconds: Double { Double(inMilliseconds) / 1000 }

    package static func hours(_ count: Int) -> Duration { .seconds(count * 3600) }
    package static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
}

extension Date {
    package static func + (date: Date, duration: Duration) -> Date { date.addingTimeInterval(duration.inSeconds) }
    package static func - (date: Date, duration: Duration) -> Date { date.addingTimeInterval(-duration.inSeconds) }

    /// The time from `earlier` to this date, in whole milliseconds; negative if this date is earlier.
    package func since(_ earlier: Date) -> Duration { .milliseconds(milliseconds - earlier.milliseconds) }
}

extension Duration {
    /// For people: `12 s`, `4 min`, `3 h`, `2 d`.
    package var roundedText: String {
        let seconds = max(0, inMilliseconds / 1000)
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3600) h"
        default: return "\(seconds / 86_400) d"
        }
    }
}
