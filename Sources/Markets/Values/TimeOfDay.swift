import Foundation

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

    package var minutes: Int { hour * 60 + minute }

    package var description: String { "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)" }
}

/// Days of the week: `mon`, `mon-fri`, `fri-mon` over the weekend, `mon,wed`, `daily`.
package struct Weekdays: Hashable, Sendable, CustomStringConvertible {
    /// From 0, Monday, to 6; never empty.
    private let numbers: Set<Int>

    package static let daily = Weekdays(Set(names.indices))
    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private init(_ numbers: Set<Int>) { self.numbers = numbers }

    /// The days of at least one list; nil if there is none.
    package init?(joining lists: [Weekdays]) {
        guard !lists.isEmpty else { return nil }
        numbers = lists.reduce(into: []) { $0.formUnion($1.numbers) }
    }

    /// Nil for anything but days, ranges of two days and `daily`, with commas between them.
    package init?(_ text: some StringProtocol) {
        var numbers: Set<Int> = []
        for item in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map { end in
                Self.names.firstIndex(of: end.trimmingBlanks)
            }
            if item.trimmingBlanks == "daily" {
                numbers.formUnion(Self.names.indices)
            } else if ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1] {
                let length = (last - first + 7) % 7
                numbers.formUnion((0...length).map { (first + $0) % 7 })
            } else {
                return nil
            }
        }
        self.init(numbers)
    }

    /// - Parameter number: From 0, Monday, to 6.
    func contains(_ number: Int) -> Bool { numbers.contains(number) }

    /// - Parameter wallTime: see `Zone`.
    package func contains(dayOf wallTime: TimeInterval) -> Bool {
        contains(Int(Self.secondsOfWeek(wallTime)) / 86_400)
    }

    /// Seconds since Monday, 00:00.
    static func secondsOfWeek(_ wallTime: TimeInterval) -> TimeInterval {
        let week = 7 * 86_400.0
        // 1970 began on a Thursday.
        let seconds = wallTime + 3 * 86_400
        return seconds - (seconds / week).rounded(.down) * week
    }

    /// `mon,wed`, `daily`
    package var description: String {
        self == .daily ? "daily" : numbers.sorted().map { Self.names[$0] }.joined(separator: ",")
    }
}

extension StringProtocol {
    fileprivate var trimmingBlanks: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
