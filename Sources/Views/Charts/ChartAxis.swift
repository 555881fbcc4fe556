import Foundation
import Markets

/// The range of an axis, with ticks at round values: prices, or times in seconds since 1970.
struct ChartAxis {
    struct Tick: Hashable {
        var value: Double
        var label: String
    }

    let low: Double
    let high: Double
    let ticks: [Tick]

    /// 0 at the lower end, 1 at the upper.
    func share(of value: Double) -> Double { min(1, max(0, (value - low) / (high - low))) }
    func share(of moment: Date) -> Double { share(of: moment.timeIntervalSince1970) }

    /// - Parameters:
    ///   - low: The lowest price to be shown, above 0.
    ///   - high: The highest, not below it.
    ///   - count: The approximate number of ticks.
    init(prices low: Double, _ high: Double, ticks count: Int) {
        // A flat price is in the middle of a small range; so is one whose moves are below the precision of a double.
        let spread = high - low > high * 1e-12 ? (high - low) * 0.05 : max(high * 0.005, 1e-18)
        self.low = max(0, low - spread)
        self.high = high + spread
        // The smallest step of 1, 2 or 5 times a power of ten; the slack absorbs rounding errors.
        let least = (self.high - self.low) / Double(max(1, count)) * (1 - 1e-9)
        let power = Int(log10(least / 5).rounded(.up))
        func value(_ units: Double) -> Double {
            power < 0 ? units / pow(10, Double(-power)) : units * pow(10, Double(power))
        }
        let units = [1.0, 2].first { value($0) >= least } ?? 5
        let (first, last) = ((self.low / value(units)).rounded(.up), (self.high / value(units)).rounded(.down))
        ticks = stride(from: first, through: last, by: 1).map { index in
            Tick(value: value(index * units), label: Digits.separated(Self.digits(Int(index * units), power)))
        }
    }

    /// A number and a power of ten as digits, with all zeros behind the point: formatting by the system would load its
    /// tables of languages.
    private static func digits(_ number: Int, _ power: Int) -> String {
        guard power < 0 else { return "\(number)" + String(repeating: "0", count: number == 0 ? 0 : power) }
        let digits = "\(number)"
        let padded = String(repeating: "0", count: max(0, 1 - power - digits.count)) + digits
        return "\(padded.dropLast(-power)).\(padded.suffix(-power))"
    }

    /// Times as the clocks of `zone` show them.
    ///
    /// - Parameter count: The most ticks that fit.
    init(from start: Date, to end: Date, ticks count: Int, in zone: Zone) {
        low = start.timeIntervalSince1970
        high = max(end, start + .seconds(1)).timeIntervalSince1970
        let least = (high - low) / Double(max(1, count))
        let step = TimeStep.all.first { Double($0.seconds) >= least } ?? TimeStep.longest
        var ticks: [Tick] = []
        for moment in step.moments(from: start, to: Date(timeIntervalSince1970: high), in: zone) {
            let value = moment.timeIntervalSince1970
            // Where the clocks are set back, 02:00 may come twice within a step of two hours.
            if let last = ticks.last, value - last.value < Double(step.seconds) * 0.75 { continue }
            ticks.append(Tick(value: value, label: step.label(of: moment, in: zone)))
        }
        self.ticks = ticks
    }
}

/// A round distance between the ticks of a time axis.
private struct TimeStep {
    /// Its shortest length.
    var seconds: Int
    /// 0 for steps of equal length.
    var months = 0

    init(seconds: Int) { self.seconds = seconds }

    init(months: Int) {
        seconds = months * 28 * 86_400
        self.months = months
    }

    /// The shortest first.
    static let all: [TimeStep] = {
        let seconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800]
        let hours = [1, 2, 3, 6, 12, 24, 48, 7 * 24, 14 * 24]
        let years = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
        return (seconds + hours.map { $0 * 3600 }).map(TimeStep.init(seconds:))
            + ([1, 2, 3, 6] + years.map { $0 * 12 }).map(TimeStep.init(months:))
    }()
    static let longest = TimeStep(months: 5000 * 12)

    /// The moments within the range, in order, at which the clocks of `zone` show a multiple of the step.
    func moments(from start: Date, to end: Date, in zone: Zone) -> [Date] {
        // If the clocks were set in between, the range of what they showed is larger than that from start to end.
        let offsets = [start, end].map { zone.wallTime($0) - $0.timeIntervalSince1970 }
        let from = start.timeIntervalSince1970 + (offsets.min() ?? 0)
        let to = end.timeIntervalSince1970 + (offsets.max() ?? 0)
        let moments = wallTimes(from: from, to: to).flatMap { time in
            // A day begins also where its midnight is skipped.
            seconds >= 86_400
                ? [zone.moment(showing: time)] : zone.moments(showing: time).filter { zone.wallTime($0) == time }
        }
        return moments.filter { $0 >= start && $0 <= end }.sorted()
    }

    private func wallTimes(from start: TimeInterval, to end: TimeInterval) -> [TimeInterval] {
        guard months > 0 else {
            // Steps of weeks begin on Mondays, such as 5 January 1970.
            let (step, monday) = (Double(seconds), 4 * 86_400.0)
            return Array(stride(from: ((start - monday) / step).rounded(.up) * step + monday, through: end, by: step))
        }
        let (year, month) = Self.month(of: Date(timeIntervalSince1970: start).utcText)
        let first = (year * 12 + month - 1) / months * months
        let afterLast = Self.month(of: Date(timeIntervalSince1970: end).utcText).year * 12 + 12
        return stride(from: first, to: afterLast, by: months).compactMap { number in
            let (year, month) = ("000\(number / 12)".suffix(4), "0\(number % 12 + 1)".suffix(2))
            return Date(utcText: "\(year)-\(month)-01T00:00:00Z")?.timeIntervalSince1970
        }
    }

    func label(of moment: Date, in zone: Zone) -> String {
        let text = zone.digits(moment)
        let month = Self.month(of: text).month
        let name = Self.months[month - 1]
        if months > 0 { return months < 12 && month > 1 ? name : String(text.prefix(4)) }
        let time = text.dropFirst(11)
        if seconds >= 86_400 || time == "00:00:00" { return "\(name) \(Int(text.dropFirst(8).prefix(2)) ?? 1)" }
        return String(seconds < 60 ? time : time.prefix(5))
    }

    private static func month(of text: String) -> (year: Int, month: Int) {
        (Int(text.prefix(4)) ?? 1970, Int(text.dropFirst(5).prefix(2)) ?? 1)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
