import Foundation
import Markets

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the form of `Date`, `Last-Modified` and `Retry-After`.
enum HTTPDate {
    static func parse(_ text: String) -> Date? {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" })
        guard parts.count == 6, let month = months.firstIndex(of: parts[2].lowercased()),
            parts[1].count <= 2, let day = UInt8(parts[1]), ["GMT", "UTC"].contains(parts[5].uppercased())
        else { return nil }
        var year = String(parts[3])
        // RFC 850 has two digits; 70 to 99 belong to the last century.
        if year.count == 2, let short = UInt8(year) { year = short >= 70 ? "19\(year)" : "20\(year)" }
        return Date(utcText: "\(year)-\(twoDigits(month + 1))-\(twoDigits(Int(day)))T\(parts[4])Z")
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}
