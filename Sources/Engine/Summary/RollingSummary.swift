import Foundation
import Markets

/// The data of the 24-hour summary (or another window), updated at each poll. The cost of a poll does not depend on the
/// length of the history.
package struct RollingSummary: Sendable {
    package private(set) var coverages: [SourceID: Coverage] = [:]
    /// The oldest recorded poll, at the start of the daemon or the command; nil: there was none.
    package var firstPoll: Date?
    private var past: PastPrices
    /// Samples of the polls before this moment are in `past` already.
    private var knownUntil: Date

    /// Empty; the history fills it.
    package init(_ settings: Settings, window: Duration = .hours(24), now: Date) {
        past = PastPrices(
            age: window, tolerance: min(.minutes(30), window / 4), oldestQuote: settings.watchlist.oldestFreshQuote)
        for source in settings.sources { coverages[source.id] = Coverage(window: window, every: source.every) }
        // A quote may be minutes ahead of the poll that returned it.
        knownUntil = past.span(at: now).lowerBound - .minutes(10)
    }

    /// The range of quote times that quotes of about `now` are compared with.
    package func span(at now: Date) -> ClosedRange<Date> { past.span(at: now) }

    /// Adds the time of a usable poll or of a recorded hour.
    ///
    /// - Parameter interval: the poll interval in force; zero: as configured.
    package mutating func cover(_ source: SourceID, at moment: Date, interval: Duration = .zero) {
        coverages[source]?.add(moment, interval: interval)
    }

    /// The polls whose recorded samples are needed for cycles until `later` and are not loaded; nil if all are.
    package func pastNeeded(until later: Date, now: Date) -> Range<Date>? {
        let needed = past.span(at: later).upperBound + past.oldestQuote
        guard needed > knownUntil else { return nil }
        // Reads ahead, so that not every poll reads the database.
        let until = min(needed + .minutes(10), now)
        return knownUntil < until ? knownUntil..<until : nil
    }

    package mutating func add(past prices: [PastPrice], polledBefore end: Date) {
        for price in prices { past.add(price) }
        knownUntil = max(knownUntil, end)
    }

    mutating func forget(at now: Date) { past.forget(at: now) }

    mutating func forget(_ market: MarketID) { past.forget(market) }

    package func change(of entry: MarketBoard.Entry, at now: Date) -> DayChange? {
        DayChange(
            of: entry, at: now, against: entry.shown.flatMap { past.price(of: entry.market, before: $0.quotedAt) })
    }

    package func summary(of board: MarketBoard, at now: Date) -> DaySummary {
        summary(of: board, board.entries.map { change(of: $0, at: now) }, at: now)
    }

    /// - Parameter changes: those of the board's entries, in their order.
    package func summary(of board: MarketBoard, _ changes: [DayChange?], at now: Date) -> DaySummary {
        var summary = DaySummary(
            changes: zip(board.entries, changes).map { ($0.market, $1?.percent) },
            coverage: Coverage.share(
                of: coverages.map { source, coverage in
                    // A source counts also before its first ranking.
                    (coverage, max(1, board.entries.count { $0.source == source }))
                }, at: now))
        // Samples may have been pruned, and their polls with them, while candles show that the time was watched.
        let begun = (coverages.values.map(\.begun) + [firstPoll]).compactMap { $0 }.min()
        if let begun, begun > now - past.age { summary.watchedSince = begun }
        return summary
    }
}

/// A recorded price of about a day ago.
package struct PastPrice: Hashable, Sendable {
    package var market: MarketID
    package var quotedAt: Date
    package var price: Price

    package init(_ market: MarketID, quotedAt: Date, price: Price) {
        self.market = market
        self.quotedAt = quotedAt
        self.price = price
    }
}

/// The recorded prices around a fixed age, such as a day ago.
///
/// Holds only prices within the tolerance, so its size depends on the polls of an hour, not of a day.
struct PastPrices: Sendable {
    let age: Duration
    let tolerance: Duration
    /// The greatest age of a quote, at its poll, that is compared or compared with.
    let oldestQuote: Duration
    /// Oldest first.
    private var points: [MarketID: [(quotedAt: Int64, price: Price)]] = [:]

    init(age: Duration = .hours(24), tolerance: Duration = .minutes(30), oldestQuote: Duration = .zero) {
        self.age = age
        self.tolerance = tolerance
        self.oldestQuote = oldestQuote
    }

    func span(at now: Date) -> ClosedRange<Date> {
        (now - oldestQuote - age - tolerance)...(now - age + tolerance)
    }

    /// Adds a sample, in any order; chronological order is fastest.
    mutating func add(_ price: PastPrice) {
        let quotedAt = price.quotedAt.milliseconds
        let place = points[price.market]?.lastIndex { $0.quotedAt <= quotedAt }.map { $0 + 1 } ?? 0
        points[price.market, default: []].insert((quotedAt, price.price), at: place)
    }

    /// Drops prices too old for quotes from `now` on.
    mutating func forget(at now: Date) {
        let limit = span(at: now).lowerBound.milliseconds
        for market in points.keys where points[market]?.first?.quotedAt ?? limit < limit {
            points[market]?.removeAll { $0.quotedAt < limit }
        }
    }

    mutating func forget(_ market: MarketID) { points[market] = nil }

    /// The recorded price nearest to `age` before `quotedAt`; nil if none is within the tolerance.
    func price(of market: MarketID, before quotedAt: Date) -> Price? {
        guard let points = points[market] else { return nil }
        let target = (quotedAt - age).milliseconds
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].quotedAt < target { low = middle + 1 } else { high = middle }
        }
        let around = points[max(0, low - 1)..<min(low + 1, points.count)]
        let nearest = around.min { abs($0.quotedAt - target) < abs($1.quotedAt - target) }
        guard let nearest, abs(nearest.quotedAt - target) <= tolerance.inMilliseconds else { return nil }
        return nearest.price
    }
}
