import Feeds
import Foundation
import Markets

/// How to parse the text of a value, and the message if that fails.
struct Scalar<Value> {
    /// Completes "expected …, found …".
    let expected: String
    /// Returns nil for a text of another kind. Throws if the kind is right but the value is not allowed.
    let parse: (_ text: String) throws(Unfit) -> Value?

    init(_ expected: String, _ parse: @escaping (_ text: String) throws(Unfit) -> Value?) {
        self.expected = expected
        self.parse = parse
    }

    /// A value that checks itself.
    fileprivate static func named(
        _ noun: String, such example: String = "", _ make: @escaping (String) throws(InvalidName) -> Value
    ) -> Scalar {
        Scalar(noun + example) { text throws(Unfit) in
            do throws(InvalidName) { return try make(text) } catch { throw Unfit(reason: "\(noun) \(error.reason)") }
        }
    }
}

/// Why a value is not allowed: a complete message, which never contains a text that may be secret.
struct Unfit: Error {
    let reason: String
}

// MARK: Numbers

extension Scalar where Value == Bool {
    static var boolean: Scalar {
        Scalar("true or false") { text in
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
        Scalar("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            // `Int` accepts a sign, too.
            guard let number = Int(text), range.contains(number), text.first != "+" else { return nil }
            return number
        }
    }
}

extension Scalar where Value == Int64 {
    /// Bytes: `512MiB`, `2GiB`.
    static func size(atLeast least: Int64) -> Scalar {
        Scalar("a size such as 512MiB or 2GiB") { text throws(Unfit) in
            let shifts: [Substring: Int64] = ["KiB": 10, "MiB": 20, "GiB": 30]
            guard let shift = shifts[text.suffix(3)], let number = UInt32(text.dropLast(3)), text.first != "+" else {
                return nil
            }
            let bytes = Int64(number) << shift
            guard bytes >= least else { throw Unfit(reason: "must be at least \(least >> 20)MiB") }
            return bytes
        }
    }
}

extension Scalar where Value == Price {
    static var price: Scalar {
        Scalar("a price such as 60000 or 0.1") { text throws(Unfit) in
            guard let decimal = Decimal(wholeText: text) else { return nil }
            guard let price = Price(decimal) else { throw Unfit(reason: "must be above 0, from 1e-18 to 1e18") }
            guard price.decimal == decimal else { throw Unfit(reason: "must not have more than 18 digits") }
            return price
        }
    }
}

extension Scalar where Value == Price {
    /// How much of a market is held.
    static var amount: Scalar {
        Scalar("an amount such as 0.5") { text throws(Unfit) in
            if text.hasPrefix("-") { throw Unfit(reason: "must be above 0; what is owed is no holding: leave it out") }
            try Unfit.throwForLeadingZero(of: text)
            return try Scalar.price.parse(text)
        }
    }
}

extension Scalar where Value == Decimal {
    /// What was paid.
    static var cost: Scalar {
        Scalar("a number such as 25000") { text throws(Unfit) in
            try Unfit.throwForLeadingZero(of: text)
            guard let decimal = Decimal(wholeText: text) else { return nil }
            guard decimal >= 0 else { throw Unfit(reason: "must not be below 0") }
            return decimal == 0 ? 0 : try Scalar<Price>.price.parse(text)?.decimal
        }
    }
}

extension Scalar where Value == Decimal {
    /// A part of a whole.
    static var share: Scalar {
        Scalar("a share such as 0.5") { text throws(Unfit) in
            guard let decimal = Decimal(wholeText: text) else { return nil }
            guard decimal > 0, decimal <= 1 else { throw Unfit(reason: "must be above 0 and at most 1, such as 0.5") }
            return decimal
        }
    }
}

extension Unfit {
    /// `05` may be meant as 5 or as 0.5.
    fileprivate static func throwForLeadingZero(of text: String) throws(Unfit) {
        guard text.prefixMatch(of: /0\d/) != nil, Decimal(wholeText: text) != nil else { return }
        throw Unfit(reason: "must not begin with 0 and a digit: a point follows the 0, as in 0.5")
    }
}

extension Scalar where Value == Percent {
    /// Above zero, at most two decimals.
    static var percent: Scalar {
        Scalar("a percentage such as 5%") { text throws(Unfit) in
            let number = text.dropLast().trimmingCharacters(in: .whitespaces)
            guard text.hasSuffix("%"), let decimal = Decimal(wholeText: number) else { return nil }
            guard decimal > 0, let percent = Percent(rounding: decimal) else { throw Unfit(reason: "must be above 0%") }
            guard Decimal(percent.hundredths) == decimal * 100 else {
                throw Unfit(reason: "must not have more than two decimals")
            }
            return percent
        }
    }
}

// MARK: Times

extension Scalar where Value == Duration {
    static var duration: Scalar { duration(atLeast: .zero) }

    /// The interval of a repeated action.
    static var interval: Scalar { duration(atLeast: shortestInterval, atMost: .hours(365 * 24)) }

    /// A build of its own, which is not shipped, polls more often: `Tests/Torture/soak.py`.
    #if SHORT_INTERVALS
        private static var shortestInterval: Duration { .milliseconds(1) }
    #else
        private static var shortestInterval: Duration { .seconds(1) }
    #endif

    static func duration(atLeast least: Duration, atMost most: Duration = .hours(1000 * 365 * 24)) -> Scalar {
        Scalar("a duration such as 60s or 1h30m") { text throws(Unfit) in
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

extension Scalar where Value == Duration? {
    /// How long something is kept; nil: forever.
    static var keeping: Scalar {
        Scalar("a duration such as 90d, or forever") { text throws(Unfit) in
            if text == "forever" { return .some(nil) }
            return try Scalar<Duration>.duration(atLeast: .hours(1)).parse(text).map { .some($0) }
        }
    }
}

extension Scalar where Value == Date {
    /// A date, or a time that names no zone, is meant in `zone`.
    static func time(in zone: Zone) -> Scalar {
        Scalar("a time such as 2026-12-31T18:00:00Z, or a date") { text in
            Date(utcText: text) ?? Zone.wallTime(reading: text).map(zone.moment)
        }
    }
}

extension Scalar where Value == TimeOfDay {
    static var timeOfDay: Scalar { Scalar("a time of day such as \"07:00\"") { TimeOfDay($0) } }
}

extension Scalar where Value == Weekdays {
    static var weekdays: Scalar {
        Scalar("daily, or days such as mon, mon-fri or \"mon,thu\"") { text throws(Unfit) in
            if let days = Weekdays(text) { return days }
            guard let day = Weekdays(text.prefix(3)), text.lowercased().hasSuffix("day") else { return nil }
            throw Unfit(reason: "there is no \(text.quoted); did you mean \(day)?")
        }
    }
}

extension Scalar where Value == QuietHours.Times {
    static var quietTimes: Scalar {
        Scalar("times such as \"23:00-07:00\" or \"sat-sun 00:00-24:00\"") { QuietHours.Times($0) }
    }
}

extension Scalar where Value == Zone {
    static func zone(_ context: ReadingContext) -> Scalar {
        Scalar("UTC, local, or a time zone such as Europe/Berlin") { text throws(Unfit) in
            if text == "local" { return try context.host.localZone }
            if let zone = try context.host.zone(named: text) { return zone }
            guard let meant = context.host.zone(ofCity: text) else { return nil }
            throw Unfit(reason: "there is no time zone \(text.quoted); did you mean \(meant)?")
        }
    }
}

// MARK: Names

extension Scalar where Value == Currency {
    static var currency: Scalar {
        named("a currency", such: " such as usd") { text throws(InvalidName) in try Currency(text) }
    }
}

extension Scalar where Value == MarketID {
    static var marketID: Scalar {
        named("a market id", such: " such as bitcoin") { text throws(InvalidName) in try MarketID(text) }
    }
}

extension Scalar where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// A case of an enumeration, by its raw value.
    static var word: Scalar { word(of: Array(Value.allCases)) }

    static func word(of cases: [Value]) -> Scalar {
        let words = Scalar<String>.word(of: cases.map(\.rawValue))
        return Scalar(words.expected) { text throws(Unfit) in try words.parse(text).flatMap { Value(rawValue: $0) } }
    }
}

extension Scalar where Value == String {
    /// One of these words.
    static func word(of words: [String]) -> Scalar {
        Scalar(words.isEmpty ? "a name that is defined" : "one of \(words.joined(separator: ", "))") {
            text throws(Unfit) in
            if words.contains(text) { return text }
            guard let close = Spelling.closest(to: text, among: words) else { return nil }
            throw Unfit(reason: "there is no \(text.quoted); did you mean \(close)?")
        }
    }

    /// A one-line text: 1 to `longest` characters without control characters.
    static func name(upTo longest: Int) -> Scalar {
        Scalar("a text") { text throws(Unfit) in
            if text.isEmpty { throw Unfit(reason: "must not be empty") }
            if text.count > longest { throw Unfit(reason: "must not be longer than \(longest) characters") }
            if text.unicodeScalars.contains(where: \.isUnprintable) {
                throw Unfit(reason: "must not hold a control character")
            }
            return text
        }
    }

    /// Any text, including line breaks.
    static func text(upTo longest: Int) -> Scalar {
        Scalar("a text") { text throws(Unfit) in
            guard text.count <= longest else { throw Unfit(reason: "must not be longer than \(longest) characters") }
            return text
        }
    }

    /// A line break in a key could inject headers.
    static var secret: Scalar { name(upTo: 8192) }

    /// A market's id at a provider.
    static var providerID: Scalar { named("an id") { text throws(InvalidName) in try MarketID(text).text } }

    /// A path, made absolute.
    static func path(_ context: ReadingContext) -> Scalar {
        Scalar("a path") { text throws(Unfit) in
            if text.hasSuffix("/") { throw Unfit(reason: "is a folder; name a file in it") }
            return try name(upTo: 4096).parse(text).map(context.absolute)
        }
    }

    /// A URL, which is never quoted, since it may contain a key.
    static func url(allowHTTP: Bool) -> Scalar {
        Scalar("a URL") { text throws(Unfit) in
            do throws(InvalidName) { _ = try BaseURL(text, allowHTTP: allowHTTP) } catch {
                throw Unfit(reason: "the URL \(error.reason)")
            }
            return text
        }
    }

    /// The URL of a topic at an ntfy server.
    static func topicURL(allowHTTP: Bool) -> Scalar {
        Scalar("a URL") { text throws(Unfit) in
            guard let url = try Scalar.url(allowHTTP: allowHTTP).parse(text) else { return nil }
            if URLComponents(string: url)?.percentEncodedPath.contains(where: { $0 != "/" }) != true {
                throw Unfit(reason: "names no topic: write the topic behind the host, such as https://ntfy.sh/my-topic")
            }
            return url
        }
    }

    /// A URL that may contain `{id}`, `{ids}`, `{currency}` and `{key}`.
    static func urlTemplate(allowHTTP: Bool) -> Scalar {
        Scalar("a URL") { text throws(Unfit) in
            let filled = text.replacing(/\{(id|ids|currency|key)\}/, with: "x")
            if filled.contains(where: { "{}".contains($0) }) {
                throw Unfit(reason: "the URL holds an unknown placeholder; there are {id}, {ids}, {currency}, {key}")
            }
            _ = try Scalar.url(allowHTTP: allowHTTP).parse(filled)
            guard URLTemplate(text) != nil else {
                throw Unfit(reason: "the URL may hold placeholders in its path and query alone")
            }
            return text
        }
    }
}

extension Scalar where Value == PageURL {
    static var pageURL: Scalar {
        Scalar("a URL") { text throws(Unfit) in
            do throws(InvalidName) { return try PageURL(text) } catch { throw Unfit(reason: "the URL \(error.reason)") }
        }
    }
}

extension Scalar where Value == JSONPointer {
    static var jsonPointer: Scalar { Scalar("a JSON Pointer such as /data/last") { JSONPointer($0) } }
}
