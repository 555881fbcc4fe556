import Engine
import Foundation
import GRDB
import Markets

/// How often a market is polled, and by which source.
package struct MarketRhythm: Hashable, Sendable {
    package var market: MarketID
    package var source: SourceID
    /// Two prices at most this far apart have no hole between them.
    package var longestStep: Duration

    package init(_ market: MarketID, in source: SourceID = .shared, longestStep: Duration) {
        self.market = market
        self.source = source
        self.longestStep = longestStep
    }
}

extension HistoryReader {
    /// The ranges of a period in which a market's price is unknown and which were not backfilled yet.
    ///
    /// A market is known at each usable poll that watched it and did not report it unknown, whether its price changed
    /// or not. Where the polls were pruned, it is known in each hour that has a candle.
    package func holes(
        of rhythms: [MarketRhythm], in currencies: MarketCurrencies, _ period: Range<Date>
    ) throws(HistoryError) -> [MarketID: Holes] {
        // When each market was known, with the longest distance to the previous time that is no hole.
        var known: [[(Date, Duration)]] = Array(repeating: [], count: rhythms.count)
        var watched: Set<Int> = []
        try play(
            rhythms.map(\.market), in: currencies, since: period.lowerBound, until: period.upperBound,
            withBackfilled: false, withSamples: false
        ) { cycle in
            for change in cycle.watchChanges {
                if change.isWatched { watched.insert(change.market) } else { watched.remove(change.market) }
            }
            for poll in cycle.polls where poll.outcome.isUsable {
                let unusable = Set(poll.unusable)
                for place in watched where rhythms[place].source == poll.source && !unusable.contains(place) {
                    known[place].append((cycle.at, max(rhythms[place].longestStep, poll.interval * 2)))
                }
            }
        }
        let pruned = try firstPoll().map { Hour.of($0.milliseconds) }
        var found: [MarketID: Holes] = [:]
        for (place, rhythm) in rhythms.enumerated() {
            var holes = Holes(in: period, between: known[place], longerThan: rhythm.longestStep)
            if let pruned {
                try hourly(
                    of: rhythm.market, in: currencies[rhythm.market], since: period.lowerBound, until: nil,
                    before: pruned
                ) {
                    holes.remove([$0.start..<$0.start + .hours(1)])
                }
            }
            holes.remove(try backfilled(rhythm.market, in: currencies[rhythm.market]))
            holes.forget(upTo: rhythm.longestStep)
            found[rhythm.market] = holes
        }
        return found
    }
}

extension HistoryReader {
    /// Increases with every backfill that any process writes.
    package func backfillCount() throws(HistoryError) -> Int64 {
        try read { db in
            try db.value("SELECT seq FROM sqlite_sequence WHERE name = 'healed'") ?? 0
        }
    }

    /// The ranges of this market for which a provider answered a backfill request, also where the answer was empty.
    package func backfilled(_ market: MarketID, in currency: Currency) throws(HistoryError) -> [Range<Date>] {
        try read { db in
            try db.all(
                """
                SELECT since, until FROM healed
                WHERE series = (SELECT id FROM series WHERE market = ? AND currency = ?) ORDER BY since
                """, [market.text, currency.code]
            ) { row in
                let (since, until): (Date, Date) = (try row.value(0), try row.value(1))
                guard since <= until else {
                    throw UndecodableValue(column: ["healed.until"], found: until.milliseconds.databaseValue)
                }
                return since..<until
            }
        }
    }
}

/// The parts of a period without data, oldest first, not overlapping.
package struct Holes: Hashable, Sendable {
    package private(set) var stretches: [Range<Date>]

    /// - Parameter stretches: in any order.
    package init(_ stretches: [Range<Date>] = []) {
        self.stretches = stretches.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The stretches of `period` between known moments that are further apart than the step allowed.
    ///
    /// - Parameters:
    ///   - known: the moments at which something was known, oldest first, each with the longest step allowed before it.
    ///   - longestStep: the longest step allowed if there is no such moment.
    package init(
        in period: Range<Date>, between known: some Sequence<(Date, Duration)>, longerThan longestStep: Duration
    ) {
        stretches = []
        var last = period.lowerBound
        var longest = longestStep
        for (moment, step) in known where period.contains(moment) {
            if moment.since(last) > step { stretches.append(last..<moment) }
            last = max(last, moment)
            longest = step
        }
        if period.upperBound.since(last) > longest { stretches.append(last..<period.upperBound) }
    }

    /// Removes the ranges that were already requested.
    package mutating func remove(_ asked: some Sequence<Range<Date>>) {
        for asked in asked {
            stretches = stretches.flatMap { hole -> [Range<Date>] in
                guard hole.overlaps(asked) else { return [hole] }
                return [(hole.lowerBound, asked.lowerBound), (asked.upperBound, hole.upperBound)]
                    .filter { $0 < $1 }.map { $0..<$1 }
            }
        }
    }

    /// Removes holes no longer than `length`.
    package mutating func forget(upTo length: Duration) {
        stretches.removeAll { $0.upperBound.since($0.lowerBound) <= length }
    }

    /// The parts of the holes within `stretch`.
    package func within(_ stretch: Range<Date>) -> Holes {
        Holes(stretches.map { $0.clamped(to: stretch) }.filter { !$0.isEmpty })
    }

    /// From the start of the first hole to the end of the last; nil if there are none.
    package var extent: Range<Date>? {
        guard let first = stretches.first, let last = stretches.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    package func contains(_ moment: Date) -> Bool { stretches.contains { $0.contains(moment) } }

    package var isEmpty: Bool { stretches.isEmpty }
}
