import Foundation

extension QuietHours {
    /// When the quiet ends in which `now` lies; nil where it is not quiet.
    ///
    /// The clock on the wall decides: it is quiet while that clock shows a time of the quiet hours, also where the
    /// clock is put forward over their end or back into them.
    func end(at now: Date, in zone: TimeZone) -> Date? {
        let time = Self.wallTime(now, zone)
        guard contains(time) else { return nil }
        let rest = (to.seconds - time + Self.day).truncatingRemainder(dividingBy: Self.day)
        let end = now.addingTimeInterval(rest)
        guard let change = zone.nextDaylightSavingTimeTransition(after: now), change <= end else { return end }
        return self.end(at: change, in: zone) ?? change
    }

    private static let day: TimeInterval = 86_400

    private func contains(_ time: TimeInterval) -> Bool {
        from.seconds < to.seconds
            ? (from.seconds..<to.seconds).contains(time) : time >= from.seconds || time < to.seconds
    }

    /// Seconds since midnight, as a clock shows them.
    private static func wallTime(_ date: Date, _ zone: TimeZone) -> TimeInterval {
        let local = date.timeIntervalSince1970 + TimeInterval(zone.secondsFromGMT(for: date))
        return local - (local / day).rounded(.down) * day
    }
}

extension TimeOfDay {
    fileprivate var seconds: TimeInterval { TimeInterval((hour * 60 + minute) * 60) }
}
