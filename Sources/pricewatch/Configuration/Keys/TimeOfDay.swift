/// Hours and minutes on a clock on the wall: `07:00`.
struct TimeOfDay: Hashable, Sendable, CustomStringConvertible {
    /// 0 to 23.
    var hour: Int
    /// 0 to 59.
    var minute: Int

    init(hour: Int, minute: Int) {
        self.hour = hour
        self.minute = minute
    }

    /// Reads `7:00` and `07:00`; nil for anything else.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    var description: String { "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)" }
}

/// When a channel is to be left in peace: `23:00-07:00`, from the first moment to before the last; over midnight
/// where the end is the earlier one.
struct QuietHours: Hashable, Sendable {
    var from: TimeOfDay
    var to: TimeOfDay

    init(from: TimeOfDay, to: TimeOfDay) {
        self.from = from
        self.to = to
    }

    /// nil for anything but two different times with a hyphen between them.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let from = TimeOfDay(parts[0]), let to = TimeOfDay(parts[1]), from != to else {
            return nil
        }
        self.init(from: from, to: to)
    }
}
