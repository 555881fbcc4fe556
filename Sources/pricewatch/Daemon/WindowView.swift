import Foundation
import History
import Markets

/// The last 24 hours (or another window) as the summary needs them, carried along from poll to poll: what a poll costs
/// does not depend on how long the history is. Where the samples of the window's far end are gone, the hourly candles
/// stand for them.
struct WindowView {
    private let currency: Currency
    private var coverage: Coverage
    private var past: PastPrices
    /// Samples of the polls before this moment are in `past` already.
    private var readUntil: Date

    init(
        _ reader: HistoryReader, _ settings: CycleSettings, window: Duration = .hours(24), now: Date
    ) throws(HistoryError) {
        currency = settings.currency
        past = PastPrices(age: window, tolerance: min(.minutes(30), window / 4))
        coverage = Coverage(window: window, longestStep: settings.every * 2)
        // A quote may be some minutes older than the poll that brought it.
        readUntil = past.span(at: now).lowerBound - .minutes(10)
        let start = now - window
        let oldest = try reader.oldestPoll() ?? now
        if oldest > start { try coverWithCandles(reader, since: start, until: oldest) }
        for poll in try reader.usablePolls(since: now - window - coverage.longestStep) { coverage.add(poll) }
        try read(reader, now: now)
        if oldest > start { try addCandles(reader, now: now) }
    }

    /// An hour that has candles was watched.
    private mutating func coverWithCandles(_ reader: HistoryReader, since: Date, until: Date) throws(HistoryError) {
        let step = min(coverage.longestStep, .hours(1))
        for hour in try reader.hoursWithCandles(since: since, until: until) {
            var moment = hour
            while moment <= min(hour + .hours(1), until) {
                coverage.add(moment)
                moment = moment + step
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
    mutating func add(poll: Date, reading reader: HistoryReader, now: Date) {
        coverage.add(poll)
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
            changes: zip(board.entries, changes).map { ($0.market, $1?.percent) }, coverage: coverage.share(at: now))
    }
}
