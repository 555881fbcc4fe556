import Foundation
import Markets

/// The state of every watched market: its newest price, or why it has none.
package struct MarketBoard: Sendable {
    package private(set) var entries: [Entry]
    /// The watched markets, in the order of the entries. Stored, so that comparing it with a copy costs nothing.
    package private(set) var markets: [MarketID] = []
    private var places: [MarketID: Int]
    private let watchlist: Watchlist
    /// What is known of markets that are not watched now; used if they return.
    private var remembered: [MarketID: Remembered]
    /// The large moves in the last answer of each source.
    private var moves: [LargeMove] = []
    /// The feed of each source's last answer: an unchanged answer refers to that feed's own last one.
    private var lastFeeds: [SourceID: String] = [:]

    /// One watched market.
    package struct Entry: Hashable, Sendable {
        /// As configured.
        fileprivate var item: Watchlist.Item
        /// Named in the configuration, not watched only for its rank.
        package fileprivate(set) var named: Bool
        /// Of its price; an entry whose currency changes starts anew.
        package let currency: Currency
        package fileprivate(set) var symbol = ""
        package fileprivate(set) var name = ""
        fileprivate(set) var lastAnswer = LastAnswer.unknown(.notAsked)
        /// The newest trusted price; kept while the provider has none.
        package fileprivate(set) var newest: PriceSample?
        /// Whether a newer price waits for confirmation.
        fileprivate(set) var confirmation = MoveConfirmation.settled
        /// Consecutive answers without a usable price of it.
        package fileprivate(set) var missedAnswers = 0
        /// The last answer covered this market, with or without a price.
        fileprivate(set) var isReached = true
        /// When the first answer came that should have held it; nil before that.
        fileprivate(set) var watchedSince: Date?
        /// The poll interval in force when it was last answered; zero: as configured.
        fileprivate var interval = Duration.zero

        package var market: MarketID { item.market }
        package var source: SourceID { item.source }
    }

    enum LastAnswer: Hashable, Sendable {
        /// The last answer held its price. The reason, if any, says why another price is shown.
        case known(UnknownReason?)
        /// The last answer lacked it.
        case missing(UnknownReason)
        /// The last answer held no usable price, or none was asked for.
        case unknown(UnknownReason)
    }

    /// Restores a board from the history.
    package init(watching watchlist: Watchlist, remembering remembered: [MarketID: Remembered] = [:]) {
        self.watchlist = watchlist
        self.remembered = remembered
        entries = []
        places = [:]
        for item in watchlist.named { watch(item, named: true) }
        for market in watchlist.lastRanking.prefix(watchlist.top) where places[market] == nil {
            watch(watchlist.ranked(market), named: false)
        }
    }

    private mutating func watch(_ item: Watchlist.Item, named: Bool) {
        var entry = Entry(item: item, named: named, currency: watchlist.currencies[item.market])
        if let known = remembered.removeValue(forKey: item.market) {
            entry.symbol = known.symbol
            entry.name = known.name
            entry.newest = known.newest
            entry.confirmation = known.confirmation
            entry.lastAnswer = .known(known.confirmation == .settled ? nil : .unconfirmed)
        }
        places[item.market] = entries.count
        entries.append(entry)
        markets.append(item.market)
    }

    /// The data of a market in the history.
    package struct Remembered: Hashable, Sendable {
        package var symbol: String
        package var name: String
        package var newest: PriceSample
        package var confirmation: MoveConfirmation

        package init(symbol: String, name: String, newest: PriceSample, confirmation: MoveConfirmation = .settled) {
            self.symbol = symbol.cut(toBytes: Quote.longestSymbol)
            self.name = name.cut(toBytes: Quote.longestName)
            self.newest = newest
            self.confirmation = confirmation
        }
    }

    /// Takes over the ranking of `other`, the entries of markets that both watch, and its remembered prices, except
    /// those in another currency.
    package mutating func resume(_ other: MarketBoard) {
        if !other.watchlist.lastRanking.isEmpty { follow(other.watchlist.lastRanking) }
        resumeEntries(of: other)
        let (ours, theirs) = (watchlist.currencies, other.watchlist.currencies)
        for (market, known) in other.everythingKnown where places[market] == nil && ours[market] == theirs[market] {
            remembered[market] = known
        }
    }

    private mutating func resumeEntries(of other: MarketBoard) {
        for place in entries.indices {
            guard var known = other[entries[place].market], known.currency == entries[place].currency else { continue }
            known.item = entries[place].item
            known.named = entries[place].named
            entries[place] = known
        }
    }

    /// Replaces the watchlist. Markets that stay keep their state, those that return keep their price. Large moves of
    /// this cycle are kept: they may be of another source's answer.
    package mutating func watch(_ next: Watchlist) {
        let before = self
        self = MarketBoard(watching: next, remembering: everythingKnown)
        resumeEntries(of: before)
        moves = before.moves
        lastFeeds = before.lastFeeds
    }

    /// The prices of all markets that are, or were, watched.
    package var everythingKnown: [MarketID: Remembered] {
        var known = remembered
        for entry in entries {
            guard let newest = entry.newest else { continue }
            known[entry.market] = Remembered(
                symbol: entry.symbol, name: entry.name, newest: newest, confirmation: entry.confirmation)
        }
        return known
    }

    package subscript(market: MarketID) -> Entry? { places[market].map { entries[$0] } }

    /// Those of them that the configuration names, and the currencies, for the history.
    package var watched: WatchedMarkets {
        WatchedMarkets(markets, named: watchlist.named.map(\.market), currencies: watchlist.currencies)
    }

    package var currencies: MarketCurrencies { watchlist.currencies }

    /// Takes over from the history how many answers in a row lacked each market.
    package mutating func recall(missedAnswers: [MarketID: Int]) {
        for (market, count) in missedAnswers {
            guard let place = places[market] else { continue }
            entries[place].missedAnswers = count
        }
    }

    /// Takes over from the history when the markets of a source were last answered, with or without a new price.
    package mutating func recall(heard: [MarketID: Date], of source: SourceID) {
        for place in entries.indices where entries[place].source == source {
            guard let moment = heard[entries[place].market], let newest = entries[place].newest else { continue }
            entries[place].newest?.fetchedAt = max(newest.fetchedAt, moment)
        }
    }
}

extension MarketBoard.Entry {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case fresh, stale, missing, unknown
    }

    /// The age beyond which its quote is stale, by the interval in force.
    package var staleAfter: Duration { item.staleness.age(at: interval) }

    package func state(at now: Date) -> State {
        switch lastAnswer {
        case .missing: return .missing
        case .unknown: return .unknown
        case .known:
            guard let newest else { return .unknown }
            return now.since(newest.quotedAt) > staleAfter ? .stale : .fresh
        }
    }

    /// The price used for display, rules and summaries; nil if the last answer had none.
    package var shown: MarketBoard.PriceSample? {
        if case .known = lastAnswer { newest } else { nil }
    }

    package var reason: UnknownReason? {
        switch lastAnswer {
        case .known(let reason): reason
        case .missing(let reason), .unknown(let reason): reason
        }
    }
}

extension MarketBoard {
    /// Calls `body` with each market's price, nil if it is not fresh, and its time in milliseconds; copies no entries.
    /// A price that the last answer confirmed comes before the newer price that confirmed it.
    ///
    /// - Parameter answered: whether a source was answered in this cycle; markets of the others have no price.
    func eachFreshPrice(
        at now: Int64, answered: [SourceID], _ body: (_ place: Int, _ price: Price?, _ quotedAt: Int64) -> Void
    ) {
        for move in moves where move.stage == .confirmed {
            guard let place = places[move.market], answered.contains(entries[place].source) else { continue }
            body(place, move.price.price, move.price.quotedAt.milliseconds)
        }
        for place in entries.indices {
            guard answered.contains(entries[place].source), entries[place].isReached,
                case .known = entries[place].lastAnswer,
                let price = entries[place].newest?.price,
                let quotedAt = entries[place].newest?.quotedAt.milliseconds,
                now - quotedAt <= entries[place].staleAfter.inMilliseconds
            else {
                body(place, nil, 0)
                continue
            }
            body(place, price, quotedAt)
        }
    }

    /// Applies an answer and returns what is new. Markets of other sources are unchanged.
    ///
    /// - Parameters:
    ///   - feed: which feed it is from.
    ///   - interval: The time between two polls that is in force; zero: as configured.
    ///   - unmapped: markets that the feed was not asked for, because it has no id for them.
    package mutating func apply(
        _ answer: Answer, from feed: String, of source: SourceID = .shared, every interval: Duration = .zero,
        unmapped: [MarketID] = []
    ) -> BoardUpdate {
        // An incomplete ranking would drop markets that are still among the largest; a standby feed has none.
        if source == .shared, !answer.ranking.isEmpty, !answer.rankingIsIncomplete { follow(answer.ranking) }
        // An unchanged answer refers to the same feed's last one.
        let isRepeated = answer.notModified && lastFeeds[source] == feed
        lastFeeds[source] = feed
        let unmapped = Set(unmapped)
        var quotes: [MarketID: Int] = [:]
        for (place, quote) in answer.quotes.enumerated().reversed() { quotes[quote.market] = place }
        var update = BoardUpdate()
        for place in entries.indices where entries[place].source == source {
            entries[place].interval = interval
            if isRepeated {
                entries[place].applyUnchanged(at: answer.fetchedAt, &update)
            } else {
                let market = entries[place].market
                let quote = quotes[market].map { answer.quotes[$0] }
                entries[place].apply(quote, of: answer, from: feed, isMapped: !unmapped.contains(market), &update)
            }
            update.asked += 1
            if let reason = entries[place].isReached ? entries[place].reason : .notAsked {
                update.unknown.append((entries[place].market, reason))
            }
        }
        moves = moves.filter { move in self[move.market].map { $0.source != source } ?? false } + update.moves
        return update
    }

    /// Applies backfilled quotes that are newer than the known price, and returns their markets.
    mutating func apply(backfilled quotes: [Quote], from feed: String) -> [MarketID] {
        quotes.compactMap { quote in
            guard let place = places[quote.market], let quotedAt = quote.quotedAt,
                entries[place].newest.map({ $0.quotedAt < quotedAt }) ?? true
            else { return nil }
            entries[place].backfill(with: quote, at: quotedAt, from: feed)
            return quote.market
        }
    }

    /// Applies a new ranking: markets that left it are no longer watched unless they are named.
    private mutating func follow(_ ranking: [MarketID]) {
        guard watchlist.top > 0, ranking != watchlist.lastRanking else { return }
        var next = watchlist
        next.lastRanking = ranking
        watch(next)
    }
}

extension MarketBoard.Entry {
    /// A provider's time further ahead of the answer than this is ignored.
    private static let futureTolerance = Duration.minutes(5)

    /// Applies an answer.
    ///
    /// - Parameter quote: its price of this market; nil: none.
    fileprivate mutating func apply(
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
    fileprivate mutating func applyUnchanged(at fetchedAt: Date, _ update: inout BoardUpdate) {
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
            if isConfirmed { newest = candidate }
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

    fileprivate mutating func backfill(with quote: Quote, at quotedAt: Date, from feed: String) {
        (symbol, name) = (quote.symbol, quote.name)
        settle(.init(price: quote.price, quotedAt: quotedAt, fetchedAt: quotedAt, feed: feed), .settled)
    }
}
