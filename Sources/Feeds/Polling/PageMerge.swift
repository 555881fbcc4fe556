import Foundation
import Markets

/// Puts the pages of a poll together.
///
/// What is in the processor's cache when a page comes is taken out of it then; which rows are of the same market is
/// asked once, at the end: among 17,000 markets each question goes to memory, unless they are asked in one go.
struct PageMerge {
    struct Page: Sendable {
        var rows: [QuoteRow]
        var isUnchanged: Bool
        var at: Date
        var serverDate: Date?
        var maxAge: Duration?
    }

    /// What a row held.
    private enum Row {
        /// The place among the quotes.
        case quote(Int32)
        case unusable(RowFault)
    }

    private let watch: Watch
    /// The rows of all pages, as they came, and their markets.
    private var rows: [Row] = []
    private var markets: [MarketID] = []
    private var quotes: [Quote] = []
    /// Rows that came by rank.
    private var ranked: [Range<Int>] = []
    private var last: (at: Date, serverDate: Date?)?
    private var allAreUnchanged = true
    private var maxAge: Duration?
    private var namelessRows = 0
    private var notReached: Set<MarketID> = []
    private var topIsIncomplete = false
    private var error: FeedError?
    /// Of a market that the provider does not know; counts only where there is nothing else.
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
            case .nameless: namelessRows += 1
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
            // One request a market: the provider does not know this one.
            unknownError = error
            return
        }
        self.error = error
        switch content {
        case .named(let markets): notReached.formUnion(markets)
        case .ranked: topIsIncomplete = true
        }
    }

    consuming func outcome() -> PollReport.Outcome {
        guard let last else {
            let nothing = FeedError(.empty, operation: "poll", cause: "no market is watched", isRetryable: false)
            return .failed(error ?? unknownError ?? nothing)
        }
        var answer = FeedAnswer(fetchedAt: last.at)
        answer.serverDate = last.serverDate
        answer.maxAge = maxAge
        answer.isUnchanged = error == nil && allAreUnchanged
        answer.namelessRows = namelessRows
        answer.pageError = error
        answer.topIsIncomplete = topIsIncomplete
        place(in: &answer)
        return .answered(answer)
    }

    /// Puts every market's best row in its place: those asked by name first, then the others by rank.
    private func place(in answer: inout FeedAnswer) {
        let same = sameMarkets()
        var isPlaced = Array(repeating: false, count: rows.count)
        var order: [Int] = []
        order.reserveCapacity(quotes.count)
        func place(_ first: Int) {
            guard !isPlaced[first] else { return }
            isPlaced[first] = true
            switch rows[Int(same.best[first])] {
            case .quote(let place): order.append(Int(place))
            case .unusable(let fault): answer.unusable[markets[first]] = fault
            }
        }
        for entry in watch.entries {
            if let first = same.firstOf[entry.market] {
                place(Int(first))
            } else if notReached.contains(entry.market) {
                answer.notReached.append(entry.market)
            } else {
                answer.missing.append(entry.market)
            }
        }
        var isRanked = Array(repeating: false, count: rows.count)
        for row in ranked.joined() where answer.top.count < watch.top {
            let first = Int(same.first[row])
            guard !isRanked[first] else { continue }
            isRanked[first] = true
            answer.top.append(markets[first])
            place(first)
        }
        answer.quotes = order.elementsEqual(quotes.indices) ? quotes : order.map { quotes[$0] }
    }

    /// Which rows are of the same market.
    private struct SameMarkets {
        /// A market's first row.
        var firstOf: [MarketID: Int32] = [:]
        /// Of every row, the first of its market.
        var first: [Int32] = []
        /// Of a first row, the best of its market.
        var best: [Int32] = []
    }

    /// A market whose rank moved between two requests, or that is asked by name too, comes twice.
    private func sameMarkets() -> SameMarkets {
        var same = SameMarkets()
        same.firstOf.reserveCapacity(rows.count)
        same.first.reserveCapacity(rows.count)
        same.best.reserveCapacity(rows.count)
        func entered(_ first: inout Int32) -> Int32 { first }
        for (row, market) in markets.enumerated() {
            // Looks it up and enters it in one go.
            let first = entered(&same.firstOf[market, default: Int32(row)])
            same.first.append(first)
            same.best.append(Int32(row))
            if first != row, isBetter(rows[row], than: rows[Int(same.best[Int(first)])]) {
                same.best[Int(first)] = Int32(row)
            }
        }
        return same
    }

    /// A price before none, the newer price, else the one that came later.
    private func isBetter(_ later: Row, than before: Row) -> Bool {
        switch (before, later) {
        case (.quote(let old), .quote(let new)):
            (quotes[Int(old)].quotedAt ?? .distantPast) <= (quotes[Int(new)].quotedAt ?? .distantPast)
        case (.quote, _): false
        default: true
        }
    }
}
