import Engine
import Foundation
import Markets

extension AlertRule.Condition {
    /// Reads a condition as an event carries it, the inverse of `description`; nil for anything else.
    init?(reading text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        func price(_ place: Int) -> Price? { Price(parsing: words[place]) }
        func percent(_ place: Int) -> Percent? {
            guard words[place].hasSuffix("%") else { return nil }
            return Decimal(wholeText: words[place].dropLast()).flatMap(Percent.init(rounding:))
        }
        func duration(_ place: Int) -> Duration? { Duration(unitsText: words[place]) }
        func move(_ make: (Percent, Duration) -> Self) -> Self? {
            guard let percent = percent(1), let window = duration(3) else { return nil }
            return make(percent, window)
        }
        let read: Self? =
            switch (words.first, words.count) {
            case ("above", 2): price(1).map(Self.above)
            case ("below", 2): price(1).map(Self.below)
            case ("outside", 4):
                if let low = price(1), let high = price(3) { .outside(low: low, high: high) } else { nil }
            case ("rises", 4): move { .rises($0, within: $1) }
            case ("falls", 4): move { .falls($0, within: $1) }
            case ("moves", 4): move { .moves($0, within: $1) }
            case ("new_high", 2): duration(1).map(Self.newHigh)
            case ("new_low", 2): duration(1).map(Self.newLow)
            case ("stale", 2): duration(1).map(Self.stale)
            case ("state", 4): duration(3).map(Self.marketStale)
            case ("no", 6): Int(words[4]).map { .marketMissing(answers: $0) }
            case ("no", 5): duration(4).map(Self.feedStale)
            default: nil
            }
        guard let read, read.description == text else { return nil }
        self = read
    }
}
