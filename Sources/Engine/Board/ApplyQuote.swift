import Foundation
import Markets

extension MarketBoard.Entry {
    /// A provider's time further ahead of the answer than this is ignored.
    private static let futureTolerance = Duration.minutes(5)

    /// Applies an answer.
    ///
    /// - Parameter quote: its price of this market; nil: none.
    mutating func apply(
        _ quote: Quote?, of answer: Answer, from feed: String, isMapped: Bool, _ update: inout BoardUpdate
    ) {
        // Nothing is known of a page that failed, or of a market that an incomplete ranking lacks.
        isReached = quote != nil || !(answer.unreached.contains(market) || answer.rankingIsIncomplete && !named)
        guard isReached else { return }
        watchedSince = watchedSince ?? answer.fetchedAt
        missedAnswers = quote == nil ? missedAnswers + 1 : 0
        if let quote {
            update.usable += 1
            apply(quote, fetchedAt: answer.fetchedAt, from: feed, &update)
        } else if isMapped {
            lastAnswer = answer.unusable[market].map(MarketBoard.LastAnswer.unknown) ?? .missing(.notAnswered)
        } else {
            lastAnswer = .missing(.noMapping)
        }
    }

    /// Applies an answer without changes.
    mutating func applyUnchanged(at fetchedAt: Date, _ update: inout BoardUpdate) {
        isReached = true
        guard shown != nil else {
            missedAnswers += 1
            return
        }
        update.usable += 1
        if var candidate = confirmation.candidate {
            candidate.fetchedAt = fetchedAt
            applyAgain(candidate, &update)
        } else {
            newest?.fetchedAt = fetchedAt
        }
    }

    /// Applies a quote; adds a sample only if it is not recorded yet.
    private mutating func apply(
        _ quote: Quote, fetchedAt: Date, from feed: String, _ update: inout BoardUpdate
    ) {
        symbol = quote.symbol
        name = quote.name
        // A time in the future would make every later quote look old.
        let stated = quote.quotedAt.flatMap { $0 > fetchedAt + Self.futureTolerance ? nil : $0 }
        let price = MarketBoard.PriceSample(
            price: quote.price, quotedAt: stated ?? fetchedAt, fetchedAt: fetchedAt, feed: feed,
            reportedChange: quote.reportedChange)
        if let recorded = confirmation.candidate ?? newest {
            let (before, after) = (recorded.quotedAt.milliseconds, price.quotedAt.milliseconds)
            if after < before {
                lastAnswer = .known(confirmation == .settled ? .oldQuote : .unconfirmed)
                return
            }
            if after == before, quote.price == recorded.price { return applyAgain(price, &update) }
        }
        confirm(price, &update)
        update.samples.append(
            Sample(
                market: market, symbol: symbol, name: name, price: quote.price, quotedAt: price.quotedAt,
                volume24h: quote.volume24h, marketCap: quote.marketCap, confirmed: confirmation == .settled))
    }

    /// Applies a new price: decides on the candidate that waits, then on the price itself.
    private mutating func confirm(_ price: MarketBoard.PriceSample, _ update: inout BoardUpdate) {
        var disagreeing = 1
        if case .waiting(let candidate, let polls) = confirmation, let trusted = newest {
            disagreeing += polls
            let isConfirmed = price.price.isNearer(to: candidate.price, than: trusted.price)
            note(isConfirmed ? .confirmed : .rejected, candidate, against: trusted, &update)
            if isConfirmed { (newest, disagreeing) = (candidate, 1) }
        }
        if let limit = item.moveLimit, let trusted = newest, disagreeing < MoveConfirmation.patience,
            compares(trusted, with: price), price.price.hasMoved(moreThan: limit, from: trusted.price)
        {
            note(.unconfirmed, price, against: trusted, &update)
            settle(trusted, .waiting(candidate: price, polls: disagreeing))
        } else {
            settle(price, .settled)
        }
    }

    /// Applies a repeated quote, which confirms nothing. But if the trusted price has not been repeated for so long
    /// that a new price would be trusted at once, the repeated quote is trusted.
    private mutating func applyAgain(_ repeated: MarketBoard.PriceSample, _ update: inout BoardUpdate) {
        if case .waiting(let candidate, _) = confirmation, let trusted = newest {
            if item.moveLimit != nil, compares(trusted, with: repeated) { return settle(trusted, confirmation) }
            note(.confirmed, candidate, against: trusted, &update)
        }
        settle(repeated, .settled)
    }

    private mutating func settle(_ trusted: MarketBoard.PriceSample, _ next: MoveConfirmation) {
        newest = trusted
        confirmation = next
        lastAnswer = .known(next == .settled ? nil : .unconfirmed)
    }

    private func note(
        _ stage: LargeMove.Stage, _ price: MarketBoard.PriceSample, against trusted: MarketBoard.PriceSample,
        _ update: inout BoardUpdate
    ) {
        update.moves.append(LargeMove(market: market, stage: stage, price: price, trusted: trusted.price))
    }

    /// A trusted price that no answer has held for three intervals is no longer compared with.
    private func compares(_ trusted: MarketBoard.PriceSample, with later: MarketBoard.PriceSample) -> Bool {
        later.fetchedAt.since(trusted.fetchedAt) < interval * 3
    }

    mutating func backfill(with quote: Quote, at quotedAt: Date, from feed: String) {
        (symbol, name) = (quote.symbol, quote.name)
        settle(.init(price: quote.price, quotedAt: quotedAt, fetchedAt: quotedAt, feed: feed), .settled)
    }
}
