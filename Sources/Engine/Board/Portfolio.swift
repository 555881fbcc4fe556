import Foundation
import Markets

/// What a portfolio is computed from: its value is the exact sum of amount × price of its parts.
package struct Portfolio: Hashable, Sendable {
    /// By id, so that their order in the configuration makes no difference.
    package let parts: [Part]
    /// What its owner paid for it; nil: not stated.
    package let cost: Decimal?

    package struct Part: Hashable, Sendable {
        package var market: MarketID
        /// As exact as a price.
        package var amount: Price

        package init(_ market: MarketID, amount: Price) {
            self.market = market
            self.amount = amount
        }
    }

    package init(_ parts: [Part], cost: Decimal? = nil) {
        self.parts = parts.sorted { $0.market < $1.market }
        self.cost = cost
    }

    /// `0.5 bitcoin, 3 ethereum`. A different text is another portfolio: what was recorded of it before does not count.
    package var amounts: String { parts.map { "\($0.amount) \($0.market)" }.joined(separator: ", ") }

    /// The gain over the cost, and in percent of it; nil where no cost is stated, or it is 0.
    package func gain(at value: Price) -> (amount: Decimal?, percent: Percent?) {
        (cost.map { value.decimal - $0 }, cost.flatMap { Price($0) }.map { Percent(from: $0, to: value) })
    }
}

extension Price {
    /// The exact sum of products, rounded as any price is; nil if it is out of range.
    ///
    /// A sum may need more digits than `Decimal` has, which rounds silently, so it is added up digit by digit.
    static func sum(of products: [(amount: Price, price: Price)]) -> Price? {
        // Two exponents of at least −35 each, and products below 10^36 with exponents of at most 36.
        let lowest = -70
        var digits = Array(repeating: 0, count: 160)
        for (amount, price) in products {
            var product = Int128(amount.significand) * Int128(price.significand)
            var place = amount.exponent + price.exponent - lowest
            while product > 0 {
                digits[place] += Int(product % 10)
                product /= 10
                place += 1
            }
        }
        for place in digits.indices.dropLast() {
            digits[place + 1] += digits[place] / 10
            digits[place] %= 10
        }
        return Price(parsing: digits.reversed().map(String.init).joined() + "e\(lowest)")
    }
}

extension MarketBoard {
    /// A portfolio on the board.
    struct Holding: Sendable {
        let place: Int
        /// The place of a part is nil where it is not watched, as in a rehearsal.
        let parts: [(place: Int?, amount: Price)]
        let amounts: String
    }

    /// Computes the portfolios of a source that was just answered.
    mutating func applyPortfolios(of source: SourceID, from feed: String, at now: Date, _ update: inout BoardUpdate) {
        // A portfolio is recorded with its source's poll, and one without a usable price records none.
        let isUsable = update.usable > 0
        for holding in holdings where entries[holding.place].source == source {
            let parts = holding.parts.map { part in (part.place.map { entries[$0] }, part.amount) }
            if isUsable {
                entries[holding.place].apply(parts, holding.amounts, from: feed, at: now, &update)
            } else {
                entries[holding.place].limit(by: parts.map(\.0))
            }
            entries[holding.place].isReached = isUsable
            if let reason = isUsable ? entries[holding.place].reason : .notAsked {
                update.unknown.append((entries[holding.place].market, reason))
            }
        }
        noteFirstValues(of: source)
    }

    /// Moves what got its first value in this answer from `edited` to `revalued`.
    private mutating func noteFirstValues(of source: SourceID) {
        revalued = revalued.filter { market in self[market].map { $0.source != source } ?? false }
        for market in edited where self[market]?.source == source && self[market]?.shown != nil {
            edited.remove(market)
            revalued.append(market)
        }
    }

    /// Restores how long the value of each portfolio holds. One that lacks a part now has none.
    ///
    /// - Parameter recorded: all values are those of the history, where polls that lacked a part have left none.
    mutating func limitPortfolios(recorded: Bool = false) {
        for holding in holdings {
            let parts = holding.parts.map { part in part.place.map { entries[$0] } }
            entries[holding.place].limit(by: parts)
            if recorded { entries[holding.place].compare(with: parts) }
        }
    }
}

extension MarketBoard.Entry {
    package var portfolio: Portfolio? { item.portfolio }

    /// Computes a portfolio. Parts whose large move waits for confirmation have their trusted price.
    fileprivate mutating func apply(
        _ parts: [(entry: Self?, amount: Price)], _ amounts: String, from feed: String, at now: Date,
        _ update: inout BoardUpdate
    ) {
        watchedSince = watchedSince ?? now
        let known = parts.compactMap { part in
            part.entry?.state(at: now) == .fresh ? part.entry?.newest.map { ($0, part.amount) } : nil
        }
        guard known.count == parts.count, let quotedAt = known.map(\.0.quotedAt).max(),
            let fetchedAt = known.map(\.0.fetchedAt).max()
        else {
            lastAnswer = .unknown(.incomplete)
            return
        }
        guard let value = Price.sum(of: known.map { (amount: $0.1, price: $0.0.price) }) else {
            lastAnswer = .unknown(.badPrice)
            return
        }
        let before = newest
        let next = MarketBoard.PriceSample(
            price: value, quotedAt: max(quotedAt, before?.quotedAt ?? quotedAt), fetchedAt: fetchedAt, feed: feed)
        newest = next
        lastAnswer = .known(nil)
        limit(by: parts.map(\.entry))
        guard before?.price != value || before?.quotedAt.milliseconds != next.quotedAt.milliseconds else { return }
        var sample = Sample(market: market, symbol: "", name: "", price: value, quotedAt: next.quotedAt)
        sample.amounts = amounts
        update.samples.append(sample)
    }

    /// Takes the value away if a part has a newer price.
    fileprivate mutating func compare(with parts: [Self?]) {
        guard let newest, let latest = parts.compactMap({ $0?.newest?.quotedAt }).max() else { return }
        if latest.milliseconds > newest.quotedAt.milliseconds { lastAnswer = .unknown(.incomplete) }
    }

    /// Lets the value hold until the first part becomes stale.
    fileprivate mutating func limit(by parts: [Self?]) {
        guard let newest else { return }
        let ends = parts.compactMap { part in part?.shown.map { $0.quotedAt + (part?.staleAfter ?? .zero) } }
        guard ends.count == parts.count, let end = ends.min() else {
            lastAnswer = .unknown(.incomplete)
            return
        }
        item.staleness = Staleness(after: end.since(newest.quotedAt))
    }
}
