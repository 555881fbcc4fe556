import ArgumentParser
import Foundation
import Markets

/// A time as `--since` and `--until` accept it: a time, a date, or a duration before now.
enum TimeArgument: Hashable, Sendable {
    case moment(Date)
    case ago(Duration)

    @Sendable static func parse(_ text: String) throws -> TimeArgument {
        if let duration = Duration(unitsText: text) { return .ago(duration) }
        if let moment = Date(utcText: text) ?? Date(utcText: text + "T00:00:00Z") { return .moment(moment) }
        if Duration.isTooLong(unitsText: text) {
            throw ValidationError("'\(text)' is too long: write at most 1000 years, or a date")
        }
        throw ValidationError(
            "'\(text)' is no time: write 2026-11-21T10:00:00Z, 2026-11-21, or how long ago, such as 24h or 7d")
    }

    func date(now: Date) -> Date {
        switch self {
        case .moment(let date): date
        case .ago(let duration): now - duration
        }
    }
}
