/// Hours and minutes of local time: `07:00`.
package struct TimeOfDay: Hashable, Sendable, CustomStringConvertible {
    /// 0 to 23.
    package var hour: Int
    /// 0 to 59.
    package var minute: Int

    package init(hour: Int, minute: Int) {
        self.hour = hour
        self.minute = minute
    }

    /// Reads `7:00` and `07:00`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    package var description: String { "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)" }
}

/// The quiet hours of a channel: `23:00-07:00`, the start included, the end excluded; over midnight if the end is
/// earlier.
package struct QuietHours: Hashable, Sendable {
    package var from: TimeOfDay
    package var to: TimeOfDay

    package init(from: TimeOfDay, to: TimeOfDay) {
        self.from = from
        self.to = to
    }

    /// Nil for anything but two different times with a hyphen between them.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let from = TimeOfDay(parts[0]), let to = TimeOfDay(parts[1]), from != to else {
            return nil
        }
        self.init(from: from, to: to)
    }
}
