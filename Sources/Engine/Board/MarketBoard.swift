import Foundation
import Markets

/// The state of every watched market: its newest price, or why it has none.
package struct MarketBoard: Sendable {
    package private(set) var entries: [Entry]
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
        package let market: MarketID
        package fileprivate(set) var symbol: String
        package fileprivate(set) var name: String
        /// As configured.
        fileprivate let staleness: Staleness
        /// The limit beyond which a move needs confirmation, as configured; nil: none.
        package let moveLimit: MoveLimit?
        /// Named in the configuration, not watched only for its rank.
        package let named: Bool
        package let source: SourceID
        package fileprivate(set) var lastAnswer: LastAnswer
        /// The newest trusted price; kept while the provider has none.
        package fileprivate(set) var newest: PriceSample?
        /// Whether a newer price waits for confirmation.
        package fileprivate(set) var confirmation = MoveConfirmation.settled
        /// Consecutive answers without a usable price of it.
        package fileprivate(set) var missedAnswers = 0
        /// The last answer covered this market, with or without a price.
        package fileprivate(set) var isReached = true
        /// When the first answer came that should have held it; nil before that.
        package fileprivate(set) var watchedSince: Date?
        /// The poll interval in force when it was last answered; zero: as configured.
        fileprivate var interval = Duration.zero
    }

    package enum LastAnswer: Hashable, Sendable {
        /// The last answer held its price. The reason, if any, says why another price is shown.
        case known(UnknownReason?)
        /// The last answer lacked it.
        case missing(UnknownReason)
        /// The last answer held no usable price, or none was asked for.
        case unknown(UnknownReason)
    }

    /// A price with its times and its source.
    package struct PriceSample: Hashable, Sendable {
        package var price: Price
        package var quotedAt: Date
        package var fetchedAt: Date
        package var feed: String
        package var reportedChange: Percent?

        package init(price: Price, quotedAt: Date, fetchedAt: Date, feed: String, reportedChange: Percent? = nil) {
            self.price = price
            self.quotedAt = quotedAt
            self.fetchedAt = fetchedAt
            self.feed = feed
            self.reportedChange = reportedChange
        }
    }

    /// Restores a board from the history.
    package init(watching watchlist: Watchlist, remembering remembered: [MarketID: Remembered] = [:]) {
        self.watchlist = watchlist
        self.remembered = remembered
        entries = []
        places = [:]
        for item in watchlist.named {
            watch(
                item.market, item.staleness, moveLimit: item.moveLimit, named: true, source: item.source)
        }
        for market in watchlist.lastRanking.prefix(watchlist.top) where places[market] == nil {
            watch(market, watchlist.staleness, moveLimit: watchlist.moveLimit, named: false)
        }
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

    /// Takes over the ranking of `other`, the entries of markets that both watch, and its remembered prices.
    package mutating func resume(_ other: MarketBoard) {
        if !other.watchlist.lastRanking.isEmpty { follow(other.watchlist.lastRanking) }
        resumeEntries(of: other)
        for (market, known) in other.everythingKnown where places[market] == nil { remembered[market] = known }
    }

    private mutating func resumeEntries(of other: MarketBoard) {
        for place in entries.indices {
            guard let known = other[entries[place].market] else { continue }
            entries[place].symbol = known.symbol
            entries[place].name = known.name
            entries[place].lastAnswer = known.lastAnswer
            entries[place].newest = known.newest
            entries[place].missedAnswers = known.missedAnswers
            entries[place].watchedSince = known.watchedSince
            entries[place].confirmation = known.confirmation
            entries[place].interval = known.interval
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

    /// The watched markets, in the order of the entries.
    package var markets: [MarketID] { entries.map(\.market) }

    /// Those of them that the configuration names.
    package var named: [MarketID] { watchlist.named.map(\.market) }

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

    private mutating func watch(
        _ market: MarketID, _ staleness: Staleness, moveLimit: MoveLimit?, named: Bool, source: SourceID = .shared
    ) {
        let known = remembered.removeValue(forKey: market)
        let waits = known?.confirmation.candidate != nil
        places[market] = entries.count
        entries.append(
            Entry(
                market: market, symbol: known?.symbol ?? "", name: known?.name ?? "", staleness: staleness,
                moveLimit: moveLimit, named: named, source: source,
                lastAnswer: known == nil ? .unknown(.notAsked) : .known(waits ? .unconfirmed : nil),
                newest: known?.newest, confirmation: known?.confirmation ?? .settled))
    }
}

extension MarketBoard.Entry {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case fresh, stale, missing, unknown
    }

    /// The age beyond which its quote is stale, by the interval in force.
    package var staleAfter: Duration { staleness.age(at: interval) }

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
        at now: Int64, answered: (SourceID) -> Bool, _ body: (_ place: Int, _ price: Price?, _ quotedAt: Int64) -> Void
    ) {
        for move in moves where move.stage == .confirmed {
            guard let place = places[move.market], answered(entries[place].source) else { continue }
            body(place, move.price.price, move.price.quotedAt.milliseconds)
        }
        for place in entries.indices {
            guard answered(entries[place].source), entries[place].isReached, case .known = entries[place].lastAnswer,
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
        let unmapped = Set(unmapped)
        var update = BoardUpdate()
        let isHeard = lastFeeds[source] == feed
        lastFeeds[source] = feed
        if answer.notModified, isHeard {
            for place in entries.indices where entries[place].source == source {
                entries[place].isReached = true
                entries[place].interval = interval
                guard entries[place].shown != nil else {
                    entries[place].missedAnswers += 1
                    continue
                }
                entries[place].hearNothingNew(at: answer.fetchedAt, &update)
                update.usable += 1
            }
        } else {
            var quoteOf: [MarketID: Int] = [:]
            quoteOf.reserveCapacity(answer.quotes.count)
            for (place, quote) in answer.quotes.enumerated().reversed() { quoteOf[quote.market] = place }
            for place in entries.indices where entries[place].source == source {
                let market = entries[place].market
                entries[place].interval = interval
                entries[place].isReached = quoteOf[market] != nil || !answer.leavesOut(entries[place])
                guard entries[place].isReached else { continue }
                if entries[place].watchedSince == nil { entries[place].watchedSince = answer.fetchedAt }
                entries[place].missedAnswers += 1
                if let quote = quoteOf[market] {
                    entries[place].missedAnswers = 0
                    update.usable += 1
                    entries[place].take(answer.quotes[quote], of: answer, from: feed, &update)
                } else if unmapped.contains(market) {
                    entries[place].lastAnswer = .missing(.noMapping)
                } else if let reason = answer.unusable[market] {
                    entries[place].lastAnswer = .unknown(reason)
                } else {
                    entries[place].lastAnswer = .missing(.notAnswered)
                }
            }
        }
        for entry in entries where entry.source == source {
            update.asked += 1
            guard let reason = entry.isReached ? entry.reason : .notAsked else { continue }
            update.unknown.append((entry.market, reason))
        }
        update.settle()
        moves =
            moves.filter { move in self[move.market].map { $0.source != source } ?? false } + update.moves
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

    /// Applies a quote; adds a sample only if it is not recorded yet.
    fileprivate mutating func take(
        _ quote: Quote, of answer: Answer, from feed: String, _ update: inout BoardUpdate
    ) {
        symbol = quote.symbol
        name = quote.name
        // A time in the future would make every later quote look old.
        let stated = quote.quotedAt.flatMap { $0 > answer.fetchedAt + Self.futureTolerance ? nil : $0 }
        let priceSample = MarketBoard.PriceSample(
            price: quote.price, quotedAt: stated ?? answer.fetchedAt, fetchedAt: answer.fetchedAt, feed: feed,
            reportedChange: quote.reportedChange)
        if let recorded = confirmation.candidate ?? newest {
            let (before, after) = (recorded.quotedAt.milliseconds, priceSample.quotedAt.milliseconds)
            if after < before {
                lastAnswer = .known(confirmation == .settled ? .oldQuote : .unconfirmed)
                return
            }
            if after == before, quote.price == recorded.price { return hearAgain(priceSample, &update) }
        }
        trust(confirmation.hearing(priceSample, trusted: newest, limit: limit), &update)
        update.samples.append(
            Sample(
                market: market, symbol: symbol, name: name, price: quote.price, quotedAt: priceSample.quotedAt,
                volume24h: quote.volume24h, marketCap: quote.marketCap, confirmed: confirmation == .settled))
    }

    fileprivate mutating func backfill(with quote: Quote, at quotedAt: Date, from feed: String) {
        (symbol, name) = (quote.symbol, quote.name)
        newest = MarketBoard.PriceSample(price: quote.price, quotedAt: quotedAt, fetchedAt: quotedAt, feed: feed)
        confirmation = .settled
        lastAnswer = .known(nil)
    }

    /// Applies an answer without changes.
    fileprivate mutating func hearNothingNew(at fetchedAt: Date, _ update: inout BoardUpdate) {
        guard var candidate = confirmation.candidate else {
            newest?.fetchedAt = fetchedAt
            return
        }
        candidate.fetchedAt = fetchedAt
        hearAgain(candidate, &update)
    }

    /// Applies a quote that is already recorded.
    private mutating func hearAgain(_ repeated: MarketBoard.PriceSample, _ update: inout BoardUpdate) {
        guard let newest else { return }
        trust(confirmation.hearingAgain(repeated, trusted: newest, limit: limit), &update)
    }

    /// The move limit, by the interval in force.
    private var limit: MoveLimit? {
        moveLimit.map { MoveLimit(percent: $0.percent, memory: max($0.memory, interval * 3)) }
    }

    private mutating func trust(_ verdict: MoveConfirmation.Verdict, _ update: inout BoardUpdate) {
        func note(_ stage: LargeMove.Stage, _ price: MarketBoard.PriceSample, against trusted: Price?) {
            guard let trusted else { return }
            update.moves.append(LargeMove(market: market, stage: stage, price: price, trusted: trusted))
        }
        switch verdict.fate {
        case .confirmed(let candidate): note(.confirmed, candidate, against: newest?.price)
        case .rejected(let candidate): note(.rejected, candidate, against: newest?.price)
        case nil: break
        }
        if let candidate = verdict.state.candidate, candidate != confirmation.candidate {
            note(.unconfirmed, candidate, against: verdict.trusted.price)
        }
        newest = verdict.trusted
        confirmation = verdict.state
        lastAnswer = .known(confirmation == .settled ? nil : .unconfirmed)
    }
}

extension Answer {
    /// Whether the answer says nothing about this market, for which it holds no quote.
    fileprivate func leavesOut(_ entry: MarketBoard.Entry) -> Bool {
        unreached.contains(entry.market) || (rankingIsIncomplete && !entry.named)
    }
}
