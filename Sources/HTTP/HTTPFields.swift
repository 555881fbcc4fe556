import Foundation
import Markets

/// Header fields in the order received; names are case-insensitive.
package struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    package var all: [(name: String, value: String)]

    package init(_ all: [(name: String, value: String)] = []) { self.all = all }

    package init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { (name: $0.0, value: $0.1) }
    }

    /// Those of each request of this program.
    package static var ours: HTTPFields { ["User-Agent": "pricewatch/\(Version.current)"] }

    /// The first field of this name.
    package subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return all.first { $0.name.lowercased() == wanted }?.value
    }

    package mutating func append(_ name: String, _ value: String) { all.append((name, value)) }
}

// MARK: Field values

extension HTTPFields {
    /// The sender's clock; nil if there is no `Date`.
    package var date: Date? { self["Date"].flatMap(HTTPDate.parse) }

    /// `max-age` of `Cache-Control`, at most a year; nil if absent.
    package var maxAge: Duration? {
        guard let control = self["Cache-Control"] else { return nil }
        for part in control.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard pair.count == 2, pair[0].lowercased() == "max-age", let seconds = Int64(pair[1]) else { continue }
            return .seconds(min(max(0, seconds), 31_536_000))
        }
        return nil
    }

    /// `Retry-After`, in seconds or as a date, at most 32 days; nil if it is not in the future.
    package func retryAfter(now: Date) -> Duration? {
        guard let text = self["Retry-After"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        let named = Duration(secondsText: text) ?? HTTPDate.parse(text).map { remaining(until: $0, now: now) }
        return named?.boundedWait
    }

    /// Measures by the sender's clock (`Date`), since ours may be off.
    package func remaining(until time: Date, now: Date) -> Duration { time.since(date ?? now) }
}

extension Duration {
    /// Limits a wait that a server names to 32 days, since a monthly quota renews by then; nil if not positive.
    package var boundedWait: Duration? { self > .zero ? min(self, .hours(24 * 32)) : nil }

    /// Reads `119` and `1.5`, rounded up to milliseconds so that a wait is never too short. Nil for anything else.
    package init?(secondsText text: String) {
        guard let number = DecimalNumeral(text)?.double, number >= 0, number < 1e14 else { return nil }
        self = .milliseconds(Int64((number * 1000).rounded(.up)))
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the form of `Date`, `Last-Modified` and `Retry-After`.
package enum HTTPDate {
    package static func parse(_ text: String) -> Date? {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" })
        guard parts.count == 6, let month = months[parts[2].lowercased()], parts[1].count <= 2,
            ["GMT", "UTC"].contains(parts[5].uppercased())
        else { return nil }
        var year = String(parts[3])
        // RFC 850 has two digits; 70 to 99 are in the last century.
        if year.count == 2, let short = UInt8(year) { year = short >= 70 ? "19\(year)" : "20\(year)" }
        return Date(utcText: "\(year)-\(month)-\("0\(parts[1])".suffix(2))T\(parts[4])Z")
    }

    private static let months = [
        "jan": "01", "feb": "02", "mar": "03", "apr": "04", "may": "05", "jun": "06", "jul": "07", "aug": "08",
        "sep": "09", "oct": "10", "nov": "11", "dec": "12",
    ]
}
