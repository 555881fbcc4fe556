import Foundation
import Markets

/// The state of every watched market: its newest price, or why it has none.
package struct MarketBoard: Sendable {
    package internal(set) var entries: [Entry]
    /// The watched markets, in the order of the entries. Stored, so that comparing it with a copy costs nothing.
    package private(set) var markets: [MarketID] = []
    private var places: [MarketID: Int]
    private let watchlist: Watchlist
    /// What is known of markets that are not watched now; used if they return.
    private var remembered: [MarketID: Remembered]
    /// The portfolios among the entries.
    private(set) var holdings: [Holding] = []
    /// Portfolios that have no value of their present amounts yet: what is recorded of others does not count.
    var edited: Set<MarketID>
    /// Those that got the first such value in the last answer of their source.
    var revalued: [MarketID] = []
    /// The large moves in the last answer of each source.
    private var moves: [LargeMove] = []
    /// The feed of each source's last answer: an unchanged answer refers to that feed's own last one.
    private var lastFeeds: [SourceID: String] = [:]

    /// One watched market.
    package struct Entry: Hashable, Sendable {
        /// As configured.
        var item: Watchlist.Item
        /// Named in the configuration, not watched only for its rank.
        package internal(set) var named: Bool
        /// Of its price; an entry whose currency changes starts anew.
        package let currency: Currency
        package internal(set) var symbol = ""
        package internal(set) var name = ""
        var lastAnswer = LastAnswer.unknown(.notAsked)
        /// The newest trusted price; kept while the provider has none.
        package internal(set) var newest: PriceSample?
        /// Whether a newer price waits for confirmation.
        var confirmation = MoveConfirmation.settled
        /// Consecutive answers without a usable price of it.
        package internal(set) var missedAnswers = 0
        /// The last answer covered this market, with or without a price.
        var isReached = true
        /// When the first answer came that should have held it; nil before that.
        var watchedSince: Date?
        /// The poll interval in force when it was last answered; zero: as configured.
        var interval = Duration.zero

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
    ///
    /// - Parameter edited: the portfolios whose newest recorded value is of other amounts.
    package init(
        watching watchlist: Watchlist, remembering remembered: [MarketID: Remembered] = [:],
        edited: Set<MarketID> = []
    ) {
        self.watchlist = watchlist
        self.remembered = remembered
        self.edited = edited
        entries = []
        places = [:]
        for item in watchlist.named { watch(item, named: true) }
        for market in watchlist.lastRanking.prefix(watchlist.top) where places[market] == nil {
            watch(watchlist.ranked(market), named: false)
        }
        for place in entries.indices {
            guard let portfolio = entries[place].portfolio else { continue }
            let parts = portfolio.parts.map { (place: places[$0.market], amount: $0.amount) }
            holdings.append(Holding(place: place, parts: parts, amounts: portfolio.amounts))
        }
        limitPortfolios(recorded: true)
    }

    private mutating func watch(_ item: Watchlist.Item, named: Bool) {
        var entry = Entry(item: item, named: named, currency: watchlist.currencies[item.market])
        if let known = remembered.removeValue(forKey: item.market) {
            entry.symbol = known.symbol
            entry.name = known.name
            entry.newest = known.newest
            entry.watchedSince = known.newest.fetchedAt
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
            let market = entries[place].market
            guard var known = other[market], known.currency == entries[place].currency else { continue }
            let isEdited = known.portfolio?.amounts != entries[place].portfolio?.amounts
            // Edited, or edited back to what is recorded, before the first value of the edited amounts.
            if isEdited ? entries[place].newest == nil && known.newest != nil : other.edited.contains(market) {
                edited.insert(market)
            }
            guard !isEdited else { continue }
            known.item = entries[place].item
            known.named = entries[place].named
            entries[place] = known
        }
        limitPortfolios()
    }

    /// Replaces the watchlist. Markets that stay keep their state, those that return keep their price. Large moves of
    /// this cycle are kept: they may be of another source's answer.
    package mutating func watch(_ next: Watchlist) {
        let before = self
        self = MarketBoard(watching: next, remembering: everythingKnown, edited: edited)
        resumeEntries(of: before)
        moves = before.moves
        revalued = before.revalued
        lastFeeds = before.lastFeeds
    }

    /// The prices of all markets that are, or were, watched, but for portfolios, which are computed.
    package var everythingKnown: [MarketID: Remembered] {
        var known = remembered
        for entry in entries {
            guard let newest = entry.newest, entry.portfolio == nil else { continue }
            known[entry.market] = Remembered(
                symbol: entry.symbol, name: entry.name, newest: newest, confirmation: entry.confirmation)
        }
        return known
    }

    /// Sets the poll interval in force, by which ages are judged, without an answer.
    package mutating func setInterval(_ interval: Duration, of source: SourceID) {
        for place in entries.indices where entries[place].source == source && entries[place].portfolio == nil {
            entries[place].interval = interval
        }
        limitPortfolios()
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
            guard let place = places[market], entries[place].portfolio == nil else { continue }
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
            guard now.since(newest.quotedAt) > staleAfter else { return .fresh }
            return portfolio == nil ? .stale : .unknown
        }
    }

    /// The price used for rules and summaries; nil if the last answer had none.
    package var shown: MarketBoard.PriceSample? {
        if case .known = lastAnswer { newest } else { nil }
    }

    /// As `shown`, and nil once the value of a portfolio has ended with the price of a part.
    package func shown(at now: Date) -> MarketBoard.PriceSample? { state(at: now) == .unknown ? nil : shown }

    package var reason: UnknownReason? {
        switch lastAnswer {
        case .known(let reason): reason
        case .missing(let reason), .unknown(let reason): reason
        }
    }
}

extension MarketBoard {
    /// Calls `body` with each market's price, nil if it is not known, and its time in milliseconds; copies no entries.
    /// A price that the last answer confirmed comes, as one that is not fresh, before the price that is the newest.
    ///
    /// - Parameter answered: whether a source was answered in this cycle; markets of the others have no price.
    func eachPrice(
        at now: Int64, answered: [SourceID],
        _ body: (_ place: Int, _ price: Price?, _ quotedAt: Int64, _ isFresh: Bool) -> Void
    ) {
        for move in moves where move.stage == .confirmed {
            guard let place = places[move.market], answered.contains(entries[place].source) else { continue }
            body(place, move.price.price, move.price.quotedAt.milliseconds, false)
        }
        for place in entries.indices {
            guard answered.contains(entries[place].source), entries[place].isReached,
                case .known = entries[place].lastAnswer,
                let price = entries[place].newest?.price,
                let quotedAt = entries[place].newest?.quotedAt.milliseconds
            else {
                body(place, nil, 0, false)
                continue
            }
            body(place, price, quotedAt, now - quotedAt <= entries[place].staleAfter.inMilliseconds)
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
        for place in entries.indices where entries[place].source == source && entries[place].portfolio == nil {
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
        applyPortfolios(of: source, from: feed, at: answer.fetchedAt, &update)
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
