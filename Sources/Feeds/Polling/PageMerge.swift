import Foundation
import Markets

/// Merges the pages of a poll.
///
/// Rows are copied as each page arrives, while they are in the processor's cache. Rows of the same market are matched
/// once, at the end: with 17,000 markets, lookups scattered over the poll would all be cache misses.
struct PageMerge {
    struct Page: Sendable {
        var rows: [QuoteRow]
        var isUnchanged: Bool
        var at: Date
        var serverDate: Date?
        var maxAge: Duration?
    }

    /// The content of a row.
    private enum Row {
        /// The index in `quotes`.
        case quote(Int32)
        case unusable(RowFault)
    }

    private let watch: Watch
    /// The rows of all pages, in order of arrival, and their markets.
    private var rows: [Row] = []
    private var markets: [MarketID] = []
    private var quotes: [Quote] = []
    /// The rows that were requested by rank.
    private var ranked: [Range<Int>] = []
    private var last: (at: Date, serverDate: Date?)?
    private var allAreUnchanged = true
    private var maxAge: Duration?
    private var unreached: Set<MarketID> = []
    private var rankingIsIncomplete = false
    private var error: FeedError?
    /// An error for a market that the provider does not know; used only if there is nothing else.
    private var unknownError: FeedError?

    init(_ watch: Watch) {
        self.watch = watch
        let expected = watch.entries.count + watch.top
        rows.reserveCapacity(expected)
        markets.reserveCapacity(expected)
        quotes.reserveCapacity(expected)
    }

    mutating func add(_ page: Page, _ content: PageRequest.Content) {
        last = (page.at, page.serverDate)
        allAreUnchanged = allAreUnchanged && page.isUnchanged
        maxAge = [maxAge, page.maxAge].compactMap { $0 }.max()
        let first = rows.count
        for row in page.rows {
            switch row {
            case .nameless: break
            case .unusable(let market, let fault):
                markets.append(market)
                rows.append(.unusable(fault))
            case .quote(let quote):
                markets.append(quote.market)
                rows.append(.quote(Int32(quotes.count)))
                quotes.append(quote)
            }
        }
        if case .ranked = content { ranked.append(first..<rows.count) }
    }

    mutating func fail(_ content: PageRequest.Content, _ error: FeedError) {
        if error.kind == .notFound, case .named(let markets) = content, markets.count == 1 {
            // With one request a market, this means an unknown market.
            unknownError = error
            return
        }
        self.error = error
        switch content {
        case .named(let markets): unreached.formUnion(markets)
        case .ranked: rankingIsIncomplete = true
        }
    }

    consuming func outcome() -> PollResult.Outcome {
        guard let last else {
            let nothing = FeedError(.empty, operation: "poll", cause: "no market is watched", isRetryable: false)
            return .failed((error ?? unknownError ?? nothing).poll)
        }
        var answer = Answer(fetchedAt: last.at)
        answer.serverDate = last.serverDate
        answer.maxAge = maxAge
        answer.notModified = error == nil && allAreUnchanged
        answer.pageError = error?.poll
        answer.rankingIsIncomplete = rankingIsIncomplete
        place(in: &answer)
        return .answered(answer)
    }

    /// Orders the best row of each market: those requested by name first, then the others by rank.
    private func place(in answer: inout Answer) {
        let same = sameMarkets()
        var isPlaced = Array(repeating: false, count: rows.count)
        var order: [Int] = []
        order.reserveCapacity(quotes.count)
        func place(_ first: Int) {
            guard !isPlaced[first] else { return }
            isPlaced[first] = true
            switch rows[Int(same.best[first])] {
            case .quote(let place): order.append(Int(place))
            case .unusable(let fault): answer.unusable[markets[first]] = UnknownReason(fault)
            }
        }
        for entry in watch.entries {
            if let first = same.firstOf[entry.market] {
                place(Int(first))
            } else if unreached.contains(entry.market) {
                answer.unreached.insert(entry.market)
            } else {
                answer.missing.append(entry.market)
            }
        }
        var isRanked = Array(repeating: false, count: rows.count)
        for row in ranked.joined() where answer.ranking.count < watch.top {
            let first = Int(same.first[row])
            guard !isRanked[first] else { continue }
            isRanked[first] = true
            answer.ranking.append(markets[first])
            place(first)
        }
        answer.quotes = order.elementsEqual(quotes.indices) ? quotes : order.map { quotes[$0] }
    }

    /// Which rows belong to the same market.
    private struct SameMarkets {
        /// The first row of each market.
        var firstOf: [MarketID: Int32] = [:]
        /// For each row, the first row of its market.
        var first: [Int32] = []
        /// For a first row, the best row of its market.
        var best: [Int32] = []
    }

    /// A market occurs twice if its rank changed between two requests, or if it is also requested by name.
    private func sameMarkets() -> SameMarkets {
        var same = SameMarkets()
        same.firstOf.reserveCapacity(rows.count)
        same.first.reserveCapacity(rows.count)
        same.best.reserveCapacity(rows.count)
        func entered(_ first: inout Int32) -> Int32 { first }
        for (row, market) in markets.enumerated() {
            // Looks up and inserts with one hash.
            let first = entered(&same.firstOf[market, default: Int32(row)])
            same.first.append(first)
            same.best.append(Int32(row))
            if first != row, isBetter(rows[row], than: rows[Int(same.best[Int(first)])]) {
                same.best[Int(first)] = Int32(row)
            }
        }
        return same
    }

    /// A price before none, then the newer price, then the later row.
    private func isBetter(_ later: Row, than before: Row) -> Bool {
        switch (before, later) {
        case (.quote(let old), .quote(let new)):
            (quotes[Int(old)].quotedAt ?? .distantPast) <= (quotes[Int(new)].quotedAt ?? .distantPast)
        case (.quote, _): false
        default: true
        }
    }
}

extension UnknownReason {
    /// A price with an unreadable time has an unknown age and is unusable.
    fileprivate init(_ fault: RowFault) {
        self =
            switch fault {
            case .nullPrice, .absentPrice: .nullPrice
            case .badPrice, .badTime: .badPrice
            }
    }
}
