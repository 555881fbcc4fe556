import Engine
import Foundation
import History
import Markets

/// The last 24 hours (or another window) as the summary needs them, carried along from poll to poll: what a poll costs
/// does not depend on how long the history is. Where the samples of the window's far end are gone, the hourly candles
/// stand for them.
struct WindowView {
    private let currency: Currency
    private var coverages: [(lane: Lane, coverage: Coverage)]
    private var past: PastPrices
    /// Samples of the polls before this moment are in `past` already.
    private var readUntil: Date

    init(
        _ reader: HistoryReader, _ settings: CycleSettings, window: Duration = .hours(24), now: Date
    ) throws(HistoryError) {
        currency = settings.currency
        past = PastPrices(age: window, tolerance: min(.minutes(30), window / 4))
        coverages = settings.lanes.map { ($0.lane, Coverage(window: window, every: $0.every)) }
        // A quote may be some minutes older than the poll that brought it.
        readUntil = past.span(at: now).lowerBound - .minutes(10)
        let start = now - window
        let oldest = try reader.oldestPoll() ?? now
        if oldest > start { try coverWithCandles(reader, settings, since: start, until: oldest) }
        for place in coverages.indices {
            let plan = settings.lanes[place]
            // A poll from before the window may reach into it.
            let polls = try reader.usablePolls(since: now - window * 2, of: plan.lane, riding: plan.ridesAlong)
            for (poll, interval) in polls { coverages[place].coverage.add(poll, interval: interval) }
        }
        try read(reader, now: now)
        if oldest > start { try addCandles(reader, now: now) }
    }

    /// An hour that has candles of a lane's markets was watched by it.
    private mutating func coverWithCandles(
        _ reader: HistoryReader, _ settings: CycleSettings, since: Date, until: Date
    ) throws(HistoryError) {
        let own = settings.ownLanes.lanes
        for place in coverages.indices {
            let (lane, step) = (coverages[place].lane, min(coverages[place].coverage.longestStep, .hours(1)))
            let markets = own.filter { lane == .shared || $0.value == lane }.map(\.key)
            let hours = try reader.hoursWithCandles(
                since: since, until: until, of: markets, in: currency, excluded: lane == .shared)
            for hour in hours {
                var moment = hour
                while moment <= min(hour + .hours(1), until) {
                    coverages[place].coverage.add(moment)
                    moment = moment + step
                }
            }
        }
    }

    /// A candle opens with the first price of its hour and closes with the last.
    private mutating func addCandles(_ reader: HistoryReader, now: Date) throws(HistoryError) {
        let span = past.span(at: now)
        var past = past
        try reader.hourlyCandles(in: currency, since: span.lowerBound - .hours(1), until: span.upperBound) {
            past.add($0, quotedAt: $1.start, price: $1.open)
            past.add($0, quotedAt: $1.start + .hours(1) - .milliseconds(1), price: $1.close)
        }
        self.past = past
    }

    /// Takes note of a usable poll, and of the recorded samples that came a day nearer.
    ///
    /// - Parameter lanes: those that were answered, with the time between two of their polls that is in force.
    mutating func add(poll: Date, of lanes: [Lane: Duration], reading reader: HistoryReader, now: Date) {
        for place in coverages.indices {
            guard let interval = lanes[coverages[place].lane] else { continue }
            coverages[place].coverage.add(poll, interval: interval)
        }
        past.forget(at: now)
        // A history that cannot be read leaves changes to the provider's figures; that it cannot be written is
        // told where it is written.
        try? read(reader, now: now)
    }

    private mutating func read(_ reader: HistoryReader, now: Date) throws(HistoryError) {
        let until = past.span(at: now).upperBound
        guard until > readUntil else { return }
        var past = past
        try reader.samples(in: currency, polledSince: readUntil, until: until) { market, quotedAt, price in
            past.add(market, quotedAt: quotedAt, price: price)
        }
        self.past = past
        readUntil = until
    }

    func change(of entry: MarketBoard.Entry, at now: Date) -> DayChange? {
        DayChange(
            of: entry, at: now, against: entry.shown.flatMap { past.price(of: entry.market, before: $0.quotedAt) })
    }

    func summary(of board: MarketBoard, at now: Date) -> DaySummary {
        summary(of: board, board.entries.map { change(of: $0, at: now) }, at: now)
    }

    /// - Parameter changes: those of the board's entries, in their order.
    func summary(of board: MarketBoard, _ changes: [DayChange?], at now: Date) -> DaySummary {
        DaySummary(
            changes: zip(board.entries, changes).map { ($0.market, $1?.percent) },
            coverage: coverages.count == 1
                ? coverages[0].coverage.share(at: now)
                : Coverage.share(
                    of: coverages.map { lane, coverage in
                        (coverage, board.entries.count { $0.lane == lane })
                    }, at: now))
    }
}
