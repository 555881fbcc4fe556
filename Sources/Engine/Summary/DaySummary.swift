import Foundation
import Markets

/// How the watched markets moved over a window.
package struct DaySummary: Hashable, Sendable {
    package var up = 0
    package var down = 0
    package var flat = 0
    /// Markets whose change is unknown.
    package var unknown = 0
    /// The largest rises and falls, up to five each, largest first, ties by id.
    package var gainers: [Move] = []
    package var losers: [Move] = []
    package var coverage: Percent
    /// The first poll, if it lies within the window; nil: all of the window could have been watched, or nothing was yet.
    package var watchedSince: Date?

    package struct Move: Hashable, Sendable {
        package var market: MarketID
        package var change: Percent

        package init(market: MarketID, change: Percent) {
            self.market = market
            self.change = change
        }
    }

    private static let listed = 5

    package init(changes: [(market: MarketID, change: Percent?)] = [], coverage: Percent = .zero) {
        self.coverage = coverage
        for (market, change) in changes {
            guard let change else {
                unknown += 1
                continue
            }
            if change > .zero { up += 1 } else if change < .zero { down += 1 } else { flat += 1 }
            if change > .zero { Self.list(Move(market: market, change: change), in: &gainers) }
            if change < .zero { Self.list(Move(market: market, change: change), in: &losers) }
        }
    }

    /// Inserts a move into the list of the largest, if it belongs there.
    private static func list(_ move: Move, in largest: inout [Move]) {
        let size = move.change.hundredths.magnitude
        var place = largest.count
        while place > 0 {
            let other = largest[place - 1].change.hundredths.magnitude
            guard other < size || (other == size && move.market < largest[place - 1].market) else { break }
            place -= 1
        }
        guard place < listed else { return }
        largest.insert(move, at: place)
        if largest.count > listed { largest.removeLast() }
    }
}

/// A market's change over 24 hours, and where the figure comes from.
package struct DayChange: Hashable, Sendable {
    package var percent: Percent
    package var basis: Basis

    package enum Basis: String, Hashable, Sendable {
        /// Compared with the recorded price of a day ago.
        case recorded
        /// The change that the provider reports.
        case reported
    }

    /// The change of a market; nil unless its price is fresh and there is an old price or a reported change.
    package init?(of entry: MarketBoard.Entry, at now: Date, against old: Price?) {
        guard entry.state(at: now) == .fresh, let newest = entry.shown else { return nil }
        if let old {
            percent = Percent(from: old, to: newest.price)
            basis = .recorded
        } else if let reported = newest.reportedChange {
            percent = reported
            basis = .reported
        } else {
            return nil
        }
    }
}

extension DaySummary {
    /// Why the coverage of the first day is low: `watching began 6 min ago`; nil later.
    package func beginning(at now: Date) -> String? {
        watchedSince.map { "watching began \(now.since($0).roundedText) ago" }
    }

    /// `99.7 % of the time covered`, on the first day with its beginning.
    package func coverageText(at now: Date) -> String {
        "\(coverage) % of the time covered" + (beginning(at: now).map { " (\($0))" } ?? "")
    }
}

extension [DaySummary.Move] {
    /// `solana +8.1 %, dogecoin +1.18 %`
    package var text: String {
        map { "\(SafeText.printable($0.market.text)) \($0.change.signed) %" }.joined(separator: ", ")
    }
}

extension Percent {
    /// `+1.25`, `-5.2`, `0`
    package var signed: String { self > .zero ? "+\(self)" : description }
}

extension LogLine {
    static func digest(_ day: DaySummary) -> LogLine {
        LogLine(.info, "summary.24h") { line in
            line.add(day)
            line.add("coverage_percent", day.coverage)
            line.add("watched_since", day.watchedSince)
            line.add("gainers", day.gainers.text)
            line.add("losers", day.losers.text)
        }
    }
}

extension LogFields {
    mutating func add(_ day: DaySummary) {
        add("up", day.up)
        add("down", day.down)
        add("flat", day.flat)
        add("unknown", day.unknown)
    }
}
