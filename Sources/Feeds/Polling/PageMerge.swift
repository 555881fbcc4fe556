import Foundation
import Markets

/// Puts the pages of a poll together.
struct PageMerge {
    struct Page: Sendable {
        var rows: [QuoteRow]
        var isUnchanged: Bool
        var at: Date
        var serverDate: Date?
        var maxAge: Duration?
    }

    private let watch: Watch
    private var rows: [MarketID: QuoteRow] = [:]
    private var ranked: [MarketID] = []
    private var pages: [Page] = []
    private var namelessRows = 0
    private var notReached: Set<MarketID> = []
    private var topIsIncomplete = false
    private var error: FeedError?

    init(_ watch: Watch) { self.watch = watch }

    mutating func add(_ page: Page, _ content: PageRequest.Content) {
        pages.append(page)
        for row in page.rows {
            guard let market = row.market else {
                namelessRows += 1
                continue
            }
            if case .ranked = content { ranked.append(market) }
            // A market whose rank moved between two requests, or that is asked by name too, comes twice.
            rows[market] = rows[market].map { Self.better($0, row) } ?? row
        }
    }

    mutating func fail(_ content: PageRequest.Content, _ error: FeedError) {
        self.error = error
        switch content {
        case .named(let markets): notReached.formUnion(markets)
        case .ranked: topIsIncomplete = true
        }
    }

    /// A price before none, the newer price, else the one that came later.
    private static func better(_ before: QuoteRow, _ later: QuoteRow) -> QuoteRow {
        switch (before, later) {
        case (.quote(let old), .quote(let new)):
            (old.quotedAt ?? .distantPast) > (new.quotedAt ?? .distantPast) ? before : later
        case (.quote, _): before
        default: later
        }
    }

    func outcome() -> PollReport.Outcome {
        guard let last = pages.last else {
            return .failed(
                error ?? FeedError(.empty, operation: "poll", cause: "no market is watched", isRetryable: false))
        }
        var answer = FeedAnswer(fetchedAt: last.at)
        answer.serverDate = last.serverDate
        answer.maxAge = pages.compactMap(\.maxAge).max()
        answer.isUnchanged = error == nil && pages.allSatisfy(\.isUnchanged)
        answer.namelessRows = namelessRows
        answer.pageError = error
        answer.topIsIncomplete = topIsIncomplete

        var seen: Set<MarketID> = []
        for market in ranked where answer.top.count < watch.top && seen.insert(market).inserted {
            answer.top.append(market)
        }
        var placed: Set<MarketID> = []
        for market in watch.entries.map(\.market) + answer.top where placed.insert(market).inserted {
            switch rows[market] {
            case .quote(let quote): answer.quotes.append(quote)
            case .unusable(_, let fault): answer.unusable[market] = fault
            case .nameless: break
            case nil where notReached.contains(market): answer.notReached.append(market)
            case nil: answer.missing.append(market)
            }
        }
        return .answered(answer)
    }
}
