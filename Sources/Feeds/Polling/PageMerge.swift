import Foundation
import HTTP
import Markets

/// Merges the pages of a poll.
///
/// Quotes are copied as each page arrives, while they are in the processor's cache. Rows of the same market are matched
/// once, at the end: with 17,000 markets, lookups scattered over the poll would all be cache misses.
struct PageMerge {
    /// The content of a row.
    private enum Row {
        /// The index in `quotes`.
        case quote(Int32)
        case unusable(UnknownReason)
    }

    private let watch: Watch
    /// The rows of all pages, in order of arrival, and their markets.
    private var rows: [Row] = []
    private var markets: [MarketID] = []
    private var quotes: [Quote] = []
    /// The rows that were requested by rank.
    private var ranked: [Range<Int>] = []
    /// What is known before the rows are matched; nil if no page arrived.
    private var answer: Answer?
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

    mutating func add(_ page: [QuoteRow], _ loaded: Loaded<[QuoteRow]>, _ content: PageRequest.Content) {
        var merged = Answer(fetchedAt: loaded.at)
        merged.serverDate = loaded.headers.date
        merged.maxAge = [answer?.maxAge, loaded.headers.maxAge].compactMap { $0 }.max()
        merged.notModified = loaded.value == nil && answer?.notModified != false
        answer = merged
        let first = rows.count
        for row in page {
            switch row {
            case .nameless: break
            case .priceless(let market): add(.unusable(.nullPrice), of: market)
            case .unusable(let market, let reason): add(.unusable(reason), of: market)
            case .quote(let quote):
                add(.quote(Int32(quotes.count)), of: quote.market)
                quotes.append(quote)
            }
        }
        if case .ranked = content { ranked.append(first..<rows.count) }
    }

    private mutating func add(_ row: Row, of market: MarketID) {
        rows.append(row)
        markets.append(market)
    }

    mutating func fail(_ content: PageRequest.Content, _ error: FeedError) {
        if error.kind == .notFound, case .named(let entries) = content, entries.count == 1 {
            // With one request a market, this means an unknown market.
            unknownError = error
            return
        }
        self.error = error
        switch content {
        case .named(let entries): unreached.formUnion(entries.map(\.market))
        case .ranked: rankingIsIncomplete = true
        }
    }

    consuming func outcome() -> PollResult.Outcome {
        guard var answer else {
            let nothing = PollError(.empty, message: "poll: no market is watched", isRetryable: false)
            return .failed((error ?? unknownError)?.poll ?? nothing)
        }
        answer.notModified = answer.notModified && error == nil
        answer.pageError = error?.poll
        answer.rankingIsIncomplete = rankingIsIncomplete
        place(in: &answer)
        return .answered(answer)
    }

    /// Orders the best row of each market: those requested by name first, then the others by rank.
    ///
    /// A market occurs twice if its rank changed between two requests, or if it is also requested by name.
    private func place(in answer: inout Answer) {
        // The first row of each market; the same for each row; for a first row, the best row of its market.
        var firstOf: [MarketID: Int32] = [:]
        var firsts: [Int32] = []
        var best = Array(0..<Int32(rows.count))
        firstOf.reserveCapacity(rows.count)
        firsts.reserveCapacity(rows.count)
        func entered(_ first: inout Int32) -> Int32 { first }
        for (row, market) in markets.enumerated() {
            // Looks up and inserts with one hash.
            let first = entered(&firstOf[market, default: Int32(row)])
            firsts.append(first)
            if first != row, isBetter(rows[row], than: rows[Int(best[Int(first)])]) { best[Int(first)] = Int32(row) }
        }
        var isPlaced = Array(repeating: false, count: rows.count)
        var order: [Int] = []
        order.reserveCapacity(quotes.count)
        func place(_ first: Int) {
            guard !isPlaced[first] else { return }
            isPlaced[first] = true
            switch rows[Int(best[first])] {
            case .quote(let place): order.append(Int(place))
            case .unusable(let reason): answer.unusable[markets[first]] = reason
            }
        }
        for entry in watch.entries {
            if let first = firstOf[entry.market] {
                place(Int(first))
            } else if unreached.contains(entry.market) {
                answer.unreached.insert(entry.market)
            } else {
                answer.missing.append(entry.market)
            }
        }
        var isRanked = Array(repeating: false, count: rows.count)
        for row in ranked.joined() where answer.ranking.count < watch.top {
            let first = Int(firsts[row])
            guard !isRanked[first] else { continue }
            isRanked[first] = true
            answer.ranking.append(markets[first])
            place(first)
        }
        answer.quotes = order.elementsEqual(quotes.indices) ? quotes : order.map { quotes[$0] }
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
