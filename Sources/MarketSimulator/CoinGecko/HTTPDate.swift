internal import Foundation
internal import Markets

extension Date {
    /// As the header `Date` has it: `Sat, 21 Nov 2026 10:00:00 GMT`.
    var httpText: String {
        let utc = utcText  // 2026-11-21T10:00:00Z
        let days = Int((timeIntervalSince1970 / 86_400).rounded(.down))
        let weekday = Self.weekdays[((days % 7) + 7) % 7]
        let month = Int(utc.dropFirst(5).prefix(2)).map { Self.months[$0 - 1] } ?? ""
        return "\(weekday), \(utc.dropFirst(8).prefix(2)) \(month) \(utc.prefix(4)) \(utc.dropFirst(11).prefix(8)) GMT"
    }

    /// 1 January 1970 was a Thursday.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
