import Foundation
import Markets

/// When the day's summary is due: at one time of the day, once, also when nobody watched at that time.
struct DailyDigest: Sendable {
    private let at: TimeOfDay
    private let zone: TimeZone
    /// What was due until then has been told, or is not made up for.
    private(set) var lookedAt: Date

    /// - Parameter lookedAt: when it was last looked whether it is due, or the last moment that was told.
    init(at: TimeOfDay, in zone: TimeZone, lookedAt: Date) {
        self.at = at
        self.zone = zone
        self.lookedAt = lookedAt
    }

    /// The day's moment that has passed since this was last asked; nil: none has.
    mutating func due(at now: Date) -> Date? {
        defer { lookedAt = max(lookedAt, now) }
        let moment = lastMoment(before: now)
        return moment > lookedAt ? moment : nil
    }

    /// The newest moment of that time of the day, at `now` at the latest.
    private func lastMoment(before now: Date) -> Date {
        let day = 86_400.0
        let seconds = Double(at.hour * 3600 + at.minute * 60)
        let local = now.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: now))
        let midnight = (local / day).rounded(.down) * day
        return [midnight, midnight - day].map { zone.moment(showing: $0 + seconds) }.first { $0 <= now } ?? .distantPast
    }
}

extension TimeZone {
    /// The moment at which the zone's clocks show so many seconds since 1970; the first of two where they are set back,
    /// and as long after midnight as on any other day where they skip it.
    ///
    /// By the zone's offsets alone: a calendar would bring megabytes of data along.
    fileprivate func moment(showing local: Double) -> Date {
        let day = 86_400.0
        let moments = [local - day, local + day].map { around in
            let offset = secondsFromGMT(for: Date(timeIntervalSince1970: around))
            return (offset, moment: Date(timeIntervalSince1970: local - Double(offset)))
        }
        let shown = moments.filter { offset, moment in secondsFromGMT(for: moment) == offset }.map(\.moment)
        return shown.min() ?? moments[0].moment
    }
}
