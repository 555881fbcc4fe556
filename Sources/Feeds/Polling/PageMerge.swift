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

    /// A market of the answer, however often it came: the place of its best row.
    private struct Slot {
        var page: Int
        var row: Int
        var isRanked = false
        var isPlaced = false
    }

    private let watch: Watch
    /// In the order of their first coming.
    private var slots: [Slot] = []
    private var slotOf: [MarketID: Int] = [:]
    /// Slots by rank.
    private var ranked: [Int] = []
    private var pages: [Page] = []
    private var namelessRows = 0
    private var notReached: Set<MarketID> = []
    private var topIsIncomplete = false
    private var error: FeedError?
    /// Of a market that the provider does not know; counts only where there is nothing else.
    private var unknownError: FeedError?

    init(_ watch: Watch) {
        self.watch = watch
        slots.reserveCapacity(watch.entries.count + watch.top)
        slotOf.reserveCapacity(watch.entries.count + watch.top)
    }

    mutating func add(_ page: Page, _ content: PageRequest.Content) {
        pages.append(page)
        var isRanked = false
        if case .ranked = content { isRanked = true }
        for index in page.rows.indices {
            guard let market = page.rows[index].market else {
                namelessRows += 1
                continue
            }
            let slot = slotOf[market] ?? slots.count
            if slot == slots.count {
                slotOf[market] = slot
                slots.append(Slot(page: pages.count - 1, row: index))
            } else if Self.isBetter(page.rows[index], than: row(slot)) {
                // A market whose rank moved between two requests, or that is asked by name too, comes twice.
                slots[slot].page = pages.count - 1
                slots[slot].row = index
            }
            if isRanked, !slots[slot].isRanked {
                slots[slot].isRanked = true
                ranked.append(slot)
            }
        }
    }

    private func row(_ slot: Int) -> QuoteRow { pages[slots[slot].page].rows[slots[slot].row] }

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

    /// A price before none, the newer price, else the one that came later.
    private static func isBetter(_ later: QuoteRow, than before: QuoteRow) -> Bool {
        switch (before, later) {
        case (.quote(let old), .quote(let new)):
            (old.quotedAt ?? .distantPast) <= (new.quotedAt ?? .distantPast)
        case (.quote, _): false
        default: true
        }
    }

    consuming func outcome() -> PollReport.Outcome {
        guard let last = pages.last else {
            let nothing = FeedError(.empty, operation: "poll", cause: "no market is watched", isRetryable: false)
            return .failed(error ?? unknownError ?? nothing)
        }
        var answer = FeedAnswer(fetchedAt: last.at)
        answer.serverDate = last.serverDate
        answer.maxAge = pages.compactMap(\.maxAge).max()
        answer.isUnchanged = error == nil && pages.allSatisfy(\.isUnchanged)
        answer.namelessRows = namelessRows
        answer.pageError = error
        answer.topIsIncomplete = topIsIncomplete
        answer.quotes.reserveCapacity(slots.count)

        for entry in watch.entries {
            if let slot = slotOf[entry.market] {
                place(slot, in: &answer)
            } else if notReached.contains(entry.market) {
                answer.notReached.append(entry.market)
            } else {
                answer.missing.append(entry.market)
            }
        }
        for slot in ranked.prefix(watch.top) {
            if let market = row(slot).market { answer.top.append(market) }
            place(slot, in: &answer)
        }
        return .answered(answer)
    }

    private mutating func place(_ slot: Int, in answer: inout FeedAnswer) {
        guard !slots[slot].isPlaced else { return }
        slots[slot].isPlaced = true
        switch row(slot) {
        case .quote(let quote): answer.quotes.append(quote)
        case .unusable(let market, let fault): answer.unusable[market] = fault
        case .nameless: break
        }
    }
}
