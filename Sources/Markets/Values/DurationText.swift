public import Foundation

extension Duration {
    /// Reads `90s`, `1h30m`, `2w`: units `w d h m s ms`, largest first, each once; nil for anything else,
    /// also beyond 1000 years.
    public init?(unitsText text: some StringProtocol) {
        var rest = text.utf8[...]
        var total: Int64 = 0
        var smallest = Int64.max
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix(while: \.isDigit)
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { !$0.isDigit }
            rest = rest.dropFirst(letters.count)
            guard let count = Int64(String(decoding: digits, as: UTF8.self)), count <= 31_536_000_000_000,
                let unit = Self.units.first(where: { $0.name.utf8.elementsEqual(letters) }),
                unit.milliseconds < smallest
            else { return nil }
            let (product, tooLarge) = count.multipliedReportingOverflow(by: unit.milliseconds)
            guard !tooLarge, product <= 31_536_000_000_000, total + product <= 31_536_000_000_000 else { return nil }
            total += product
            smallest = unit.milliseconds
        }
        self = .milliseconds(total)
    }

    /// The shortest text that `init(unitsText:)` reads back: `1h30m`, `0s`.
    public var unitsText: String {
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

    public var inMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    public var inSeconds: Double { Double(inMilliseconds) / 1000 }

    public static func hours(_ count: Int) -> Duration { .seconds(count * 3600) }
    public static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
}

extension Date {
    public static func + (date: Date, duration: Duration) -> Date { date.addingTimeInterval(duration.inSeconds) }
    public static func - (date: Date, duration: Duration) -> Date { date.addingTimeInterval(-duration.inSeconds) }

    /// The time from `earlier` to this date, in whole milliseconds; negative where it lies before.
    public func since(_ earlier: Date) -> Duration { .milliseconds(milliseconds - earlier.milliseconds) }
}
