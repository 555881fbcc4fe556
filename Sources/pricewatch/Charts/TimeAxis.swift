import Foundation
import Markets

/// The time range of a chart, with ticks at round times, UTC.
struct TimeAxis {
    struct Tick: Hashable {
        var at: Date
        var label: String
    }

    let start: Date
    let end: Date
    let ticks: [Tick]

    /// - Parameter count: The most ticks that fit.
    init(from start: Date, to end: Date, ticks count: Int) {
        self.start = start
        self.end = max(end, start + .seconds(1))
        let length = self.end.since(start).inSeconds
        let step = TimeStep.all.first { length / $0.seconds <= Double(max(1, count)) } ?? .years(5000)
        ticks = step.moments(from: start, to: self.end).map { Tick(at: $0, label: step.label(of: $0)) }
    }

    /// 0 at the start, 1 at the end.
    func share(of moment: Date) -> Double {
        min(1, max(0, moment.since(start).inSeconds / end.since(start).inSeconds))
    }
}

/// The round distances between ticks.
enum TimeStep: Hashable {
    /// Divisors of a day.
    case seconds(Int)
    case days(Int)
    /// Beginning on Mondays.
    case weeks(Int)
    /// Divisors of a year.
    case months(Int)
    case years(Int)

    /// The shortest first.
    static let all: [TimeStep] = {
        var steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].map(TimeStep.seconds)
        steps += [1, 2, 3, 6, 12].map { TimeStep.seconds($0 * 3600) }
        steps += [.days(1), .days(2), .weeks(1), .weeks(2)]
        steps += [1, 2, 3, 6].map(TimeStep.months)
        steps += [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].map(TimeStep.years)
        return steps
    }()

    /// The shortest length of the step.
    var seconds: Double {
        switch self {
        case .seconds(let count): Double(count)
        case .days(let count): Double(count) * 86_400
        case .weeks(let count): Double(count) * 604_800
        case .months(let count): Double(count) * 28 * 86_400
        case .years(let count): Double(count) * 365 * 86_400
        }
    }

    func moments(from start: Date, to end: Date) -> [Date] {
        switch self {
        case .seconds, .days: even(Int64(seconds), offset: 0, start, end)
        // 1970 began on a Thursday.
        case .weeks: even(Int64(seconds), offset: 4 * 86_400, start, end)
        case .months(let count): firstsOfMonths(every: count, start, end)
        case .years(let count): firstsOfMonths(every: count * 12, start, end)
        }
    }

    func label(of moment: Date) -> String {
        let text = moment.utcText
        func part(_ from: Int, _ count: Int) -> String { String(text.dropFirst(from).prefix(count)) }
        let month = Self.months[(Int(part(5, 2)) ?? 1) - 1]
        let date = "\(month) \(Int(part(8, 2)) ?? 1)"
        switch self {
        case .seconds(let step):
            if part(11, 8) == "00:00:00" { return date }
            return step < 60 ? part(11, 8) : part(11, 5)
        case .days, .weeks: return date
        case .months: return part(5, 2) == "01" ? part(0, 4) : month
        case .years: return part(0, 4)
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private func even(_ step: Int64, offset: Int64, _ start: Date, _ end: Date) -> [Date] {
        let (step, offset) = (step * 1000, offset * 1000)
        let behind = (start.milliseconds - offset) % step
        let first = start.milliseconds - behind + (behind > 0 ? step : 0)
        return stride(from: first, through: end.milliseconds, by: Int(step)).map(Date.init(milliseconds:))
    }

    private func firstsOfMonths(every count: Int, _ start: Date, _ end: Date) -> [Date] {
        let text = start.utcText
        guard let year = Int(text.prefix(4)), let month = Int(text.dropFirst(5).prefix(2)) else { return [] }
        var moments: [Date] = []
        var index = (year * 12 + month - 1) / count * count
        while let moment = Self.firstOfMonth(index), moment <= end {
            if moment >= start { moments.append(moment) }
            index += count
        }
        return moments
    }

    /// - Parameter index: Months since the year 0; nil beyond the year 9999.
    private static func firstOfMonth(_ index: Int) -> Date? {
        let year = String(index / 12)
        let month = index % 12 + 1
        let padding = String(repeating: "0", count: max(0, 4 - year.count))
        return Date(utcText: "\(padding)\(year)-\(month < 10 ? "0" : "")\(month)-01T00:00:00Z")
    }
}
