import Foundation
import Markets

extension Scalar where Value == Bool {
    static var boolean: Scalar {
        Scalar("true or false") { text, _ in
            switch text.lowercased() {
            case "true", "yes", "on": true
            case "false", "no", "off": false
            default: nil
            }
        }
    }
}

extension Scalar where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> Scalar {
        let bounds = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return Scalar(bounds) { text, _ in
            guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
                range.contains(number)
            else { return nil }
            return number
        }
    }
}

extension Scalar where Value == Int64 {
    /// Bytes: `512MiB`, `2GiB`.
    static func size(atLeast least: Int64) -> Scalar {
        Scalar("a size such as 512MiB or 2GiB") { text, _ throws(Unfit) in
            let units: [(name: String, shift: Int64)] = [("KiB", 10), ("MiB", 20), ("GiB", 30)]
            guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
            let digits = text.dropLast(3)
            guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int64(digits)
            else { return nil }
            let bytes = number << unit.shift
            guard bytes >= least else { throw Unfit(reason: "must be at least \(least >> 20)MiB") }
            return bytes
        }
    }
}

extension Scalar where Value == Duration {
    static var duration: Scalar { duration(atLeast: .zero) }

    /// The interval of a repeated action.
    static var interval: Scalar { duration(atLeast: .seconds(1), atMost: .hours(365 * 24)) }

    static func duration(atLeast least: Duration, atMost most: Duration = .hours(1000 * 365 * 24)) -> Scalar {
        Scalar("a duration such as 60s or 1h30m") { text, _ throws(Unfit) in
            let duration = Duration(unitsText: text)
            if duration.map({ $0 > most }) ?? Duration.isTooLong(unitsText: text) {
                throw Unfit(reason: "must be at most \(most.unitsText)")
            }
            guard let duration else { return nil }
            guard duration >= least else { throw Unfit(reason: "must be at least \(least.unitsText)") }
            return duration
        }
    }
}

extension Scalar where Value == Configuration.Keeping {
    static var keeping: Scalar {
        Scalar("a duration such as 90d, or forever") { text, _ throws(Unfit) in
            if text == "forever" { return .forever }
            guard let duration = Duration(unitsText: text) else { return nil }
            guard duration >= .hours(1) else { throw Unfit(reason: "must be at least 1h") }
            return .lasting(duration)
        }
    }
}

extension Scalar where Value == Price {
    static var price: Scalar {
        Scalar("a price such as 60000 or 0.1") { text, _ throws(Unfit) in
            guard let decimal = Decimal(wholeText: text) else { return nil }
            guard let price = Price(decimal) else { throw Unfit(reason: "must be above 0, from 1e-18 to 1e18") }
            guard price.decimal == decimal else { throw Unfit(reason: "must not have more than 18 digits") }
            return price
        }
    }
}

extension Scalar where Value == Percent {
    /// Above zero, at most two decimals.
    static var percent: Scalar {
        Scalar("a percentage such as 5%") { text, _ throws(Unfit) in
            guard text.hasSuffix("%") else { return nil }
            let number = text.dropLast().trimmingCharacters(in: .whitespaces)
            guard let decimal = Decimal(wholeText: number) else { return nil }
            guard decimal > 0, let percent = Percent(rounding: decimal) else { throw Unfit(reason: "must be above 0%") }
            guard Decimal(percent.hundredths) == decimal * 100 else {
                throw Unfit(reason: "must not have more than two decimals")
            }
            return percent
        }
    }
}

extension Scalar where Value == Currency {
    static var currency: Scalar {
        Scalar("a currency such as usd") { text, _ throws(Unfit) in
            do throws(InvalidName) { return try Currency(text) } catch {
                throw Unfit(reason: "a currency \(error.reason)")
            }
        }
    }
}

extension Scalar where Value == MarketID {
    static var marketID: Scalar {
        Scalar("a market id such as bitcoin") { text, _ throws(Unfit) in
            do throws(InvalidName) { return try MarketID(text) } catch {
                throw Unfit(reason: "a market id \(error.reason)")
            }
        }
    }
}

extension Scalar where Value == Date {
    static var time: Scalar {
        Scalar("a time such as 2026-12-31T18:00:00Z, or a date") { text, _ in
            Date(utcText: text) ?? Date(utcText: text + "T00:00:00Z")
        }
    }
}

extension Scalar where Value == TimeOfDay {
    static var timeOfDay: Scalar { Scalar("a time of day such as \"07:00\"") { text, _ in TimeOfDay(text) } }
}

extension Scalar where Value == QuietHours {
    static var quietHours: Scalar {
        Scalar("two different times of day such as \"23:00-07:00\"") { text, _ in QuietHours(text) }
    }
}

extension Scalar where Value == TimeZone {
    static var timeZone: Scalar {
        Scalar("a time zone such as UTC or Europe/Berlin") { text, _ in
            if text == "UTC" { return .gmt }
            // Foundation also accepts non-standard names such as GMT+5:17, and ambiguous abbreviations.
            guard TimeZone.knownTimeZoneIdentifiers.contains(text) || text.contains("/") else { return nil }
            return TimeZone(identifier: text)
        }
    }
}

extension Scalar where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// A case of an enumeration, by its raw value.
    static func word(_ type: Value.Type) -> Scalar {
        let words = Value.allCases.map(\.rawValue)
        return Scalar("one of \(words.joined(separator: ", "))") { text, _ throws(Unfit) in
            if let value = Value(rawValue: text) { return value }
            guard let close = Spelling.closest(to: text, among: words) else { return nil }
            throw Unfit(reason: "there is no \(text.quoted); did you mean \(close)?")
        }
    }
}
