/// What of a month's quota may go into the past: the polls come first.
enum HealingBudget: Int, Sendable {
    /// The daemon, each time it heals: a tenth of what is left of the month.
    case daemon = 10
    /// A command that somebody gave: half of it.
    case command = 2

    /// - Parameter quota: requests a month; nil: no limit is known.
    func requests(quota: Int?, used: Int) -> Int {
        guard let quota else { return .max }
        return max(0, quota - used) / rawValue
    }
}
