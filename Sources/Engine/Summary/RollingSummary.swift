import Foundation
import Markets

/// The data of the 24-hour summary (or another window), updated at each poll. The cost of a poll does not depend on the
/// length of the history.
package struct RollingSummary: Sendable {
    package private(set) var coverages: [SourceID: Coverage] = [:]
    private var past: PastPrices
    /// Samples of the polls before this moment are in `past` already.
    private var knownUntil: Date

    /// Empty; the history fills it.
    package init(_ settings: Settings, window: Duration = .hours(24), now: Date) {
        past = PastPrices(age: window, tolerance: min(.minutes(30), window / 4))
        for source in settings.sources { coverages[source.id] = Coverage(window: window, every: source.every) }
        // A quote may be some minutes older than the poll that returned it.
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
        guard past.span(at: later).upperBound > knownUntil else { return nil }
        // Reads ahead, so that not every poll reads the database.
        let until = min(past.span(at: later).upperBound + .minutes(10), now)
        return knownUntil < until ? knownUntil..<until : nil
    }

    package mutating func add(past prices: [PastPrice], polledBefore end: Date) {
        for price in prices { past.add(price.market, quotedAt: price.quotedAt, price: price.price) }
        knownUntil = max(knownUntil, end)
    }

    mutating func forget(at now: Date) { past.forget(at: now) }

    package func change(of entry: MarketBoard.Entry, at now: Date) -> DayChange? {
        DayChange(
            of: entry, at: now, against: entry.shown.flatMap { past.price(of: entry.market, before: $0.quotedAt) })
    }

    package func summary(of board: MarketBoard, at now: Date) -> DaySummary {
        summary(of: board, board.entries.map { change(of: $0, at: now) }, at: now)
    }

    /// - Parameter changes: those of the board's entries, in their order.
    package func summary(of board: MarketBoard, _ changes: [DayChange?], at now: Date) -> DaySummary {
        DaySummary(
            changes: zip(board.entries, changes).map { ($0.market, $1?.percent) },
            coverage: coverages.count == 1
                ? coverages.first?.value.share(at: now) ?? CoverageShare(tenths: 0)
                : Coverage.share(
                    of: coverages.map { source, coverage in
                        (coverage, board.entries.count { $0.source == source })
                    }, at: now))
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
