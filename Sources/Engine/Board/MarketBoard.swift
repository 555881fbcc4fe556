import Foundation
import Markets

/// What is known of every watched market: the newest price of each, and why one has none.
public struct MarketBoard: Sendable {
    public private(set) var entries: [Entry]
    private var places: [MarketID: Int]
    private let watchlist: Watchlist
    /// Markets that are not watched now, and come back with what was known of them.
    private var remembered: [MarketID: Remembered]
    /// What the last answer said of moves too large to be believed at once.
    private var moves: [LargeMove] = []
    /// Whose answer was taken in last. What a feed calls unchanged is its own last answer.
    private var sources: [Lane: String] = [:]

    /// One watched market.
    public struct Entry: Hashable, Sendable {
        public let market: MarketID
        public fileprivate(set) var symbol: String
        public fileprivate(set) var name: String
        /// As configured.
        fileprivate let staleness: Staleness
        /// When a move is too large to be believed at once, as configured; nil: never.
        public let moveLimit: MoveLimit?
        /// Named in the configuration, as against watched for its rank.
        public let named: Bool
        public let lane: Lane
        public fileprivate(set) var standing: Standing
        /// The newest trusted price, which stays while the provider has none.
        public fileprivate(set) var newest: Sighting?
        /// Whether a newer price waits to be trusted.
        public fileprivate(set) var confirmation = MoveConfirmation.settled
        /// How many answers in a row held no usable price of it.
        public fileprivate(set) var missedAnswers = 0
        /// The last answer said something of it, be it that it has no price.
        public fileprivate(set) var isReached = true
        /// The first answer that should have held it; nil before that.
        public fileprivate(set) var watchedSince: Date?
        /// The time between two polls that was in force when it was last answered; zero: as configured.
        fileprivate var interval = Duration.zero
    }

    public enum Standing: Hashable, Sendable {
        /// The last answer held its price; the reason says why that is not the one shown, where it is not.
        case known(UnknownReason?)
        /// The last answer lacked it.
        case missing(UnknownReason)
        /// The last answer held no usable price, or none was asked for.
        case unknown(UnknownReason)
    }

    /// A price with its times and its source.
    public struct Sighting: Hashable, Sendable {
        public var price: Price
        public var quotedAt: Date
        public var fetchedAt: Date
        public var feed: String
        public var reportedChange: Percent?

        public init(price: Price, quotedAt: Date, fetchedAt: Date, feed: String, reportedChange: Percent? = nil) {
            self.price = price
            self.quotedAt = quotedAt
            self.fetchedAt = fetchedAt
            self.feed = feed
            self.reportedChange = reportedChange
        }
    }

    /// A board that knows only what the history remembers.
    public init(watching watchlist: Watchlist, remembering remembered: [MarketID: Remembered] = [:]) {
        self.watchlist = watchlist
        self.remembered = remembered
        entries = []
        places = [:]
        for item in watchlist.named {
            watch(
                item.market, item.staleness, moveLimit: item.moveLimit, named: true, lane: item.lane)
        }
        for market in watchlist.lastRanking.prefix(watchlist.top) where places[market] == nil {
            watch(market, watchlist.staleness, moveLimit: watchlist.moveLimit, named: false)
        }
    }

    /// What the history knows of a market.
    public struct Remembered: Hashable, Sendable {
        public var symbol: String
        public var name: String
        public var newest: Sighting
        public var confirmation: MoveConfirmation

        public init(symbol: String, name: String, newest: Sighting, confirmation: MoveConfirmation = .settled) {
            self.symbol = symbol.cut(toBytes: Quote.longestSymbol)
            self.name = name.cut(toBytes: Quote.longestName)
            self.newest = newest
            self.confirmation = confirmation
        }
    }

    /// Takes over what `other` knows of the markets that both watch.
    public mutating func takeOver(_ other: MarketBoard) {
        for place in entries.indices {
            guard let known = other[entries[place].market] else { continue }
            entries[place].symbol = known.symbol
            entries[place].name = known.name
            entries[place].standing = known.standing
            entries[place].newest = known.newest
            entries[place].missedAnswers = known.missedAnswers
            entries[place].watchedSince = known.watchedSince
            entries[place].confirmation = known.confirmation
            entries[place].interval = known.interval
        }
    }

    /// Watches other markets from now on. Those that stay keep all that is known of them, those that come back their
    /// price. What was said of large moves in this turn goes on, too: it may be another lane's answer.
    public mutating func watch(_ next: Watchlist) {
        let before = self
        self = MarketBoard(watching: next, remembering: everythingKnown)
        takeOver(before)
        moves = before.moves
        sources = before.sources
    }

    /// The prices of all markets that are, or were, watched.
    public var everythingKnown: [MarketID: Remembered] {
        var known = remembered
        for entry in entries {
            guard let newest = entry.newest else { continue }
            known[entry.market] = Remembered(
                symbol: entry.symbol, name: entry.name, newest: newest, confirmation: entry.confirmation)
        }
        return known
    }

    public subscript(market: MarketID) -> Entry? { places[market].map { entries[$0] } }

    /// The watched markets, in the order of the entries.
    public var markets: [MarketID] { entries.map(\.market) }

    /// Those of them that the configuration names.
    public var named: [MarketID] { watchlist.named.map(\.market) }

    /// Takes over from the history how many answers in a row lacked each market.
    public mutating func recall(missedAnswers: [MarketID: Int]) {
        for (market, count) in missedAnswers {
            guard let place = places[market] else { continue }
            entries[place].missedAnswers = count
        }
    }

    /// Takes over from the history when the markets of a lane were last heard of; nothing of them need have been new.
    public mutating func recall(heard: [MarketID: Date], of lane: Lane) {
        for place in entries.indices where entries[place].lane == lane {
            guard let moment = heard[entries[place].market], let newest = entries[place].newest else { continue }
            entries[place].newest?.fetchedAt = max(newest.fetchedAt, moment)
        }
    }

    private mutating func watch(
        _ market: MarketID, _ staleness: Staleness, moveLimit: MoveLimit?, named: Bool, lane: Lane = .shared
    ) {
        let known = remembered.removeValue(forKey: market)
        let waits = known?.confirmation.candidate != nil
        places[market] = entries.count
        entries.append(
            Entry(
                market: market, symbol: known?.symbol ?? "", name: known?.name ?? "", staleness: staleness,
                moveLimit: moveLimit, named: named, lane: lane,
                standing: known == nil ? .unknown(.notAsked) : .known(waits ? .unconfirmed : nil),
                newest: known?.newest, confirmation: known?.confirmation ?? .settled))
    }
}

extension MarketBoard.Entry {
    public enum State: String, Hashable, Sendable, CaseIterable {
        case fresh, stale, missing, unknown
    }

    /// From when on its quote is old, by the interval in force.
    public var staleAfter: Duration { staleness.age(at: interval) }

    public func state(at now: Date) -> State {
        switch standing {
        case .missing: return .missing
        case .unknown: return .unknown
        case .known:
            guard let newest else { return .unknown }
            return now.since(newest.quotedAt) > staleAfter ? .stale : .fresh
        }
    }

    /// The price to show, rule on and count: none where the last answer had none.
    public var shown: MarketBoard.Sighting? {
        if case .known = standing { newest } else { nil }
    }

    public var reason: UnknownReason? {
        switch standing {
        case .known(let reason): reason
        case .missing(let reason), .unknown(let reason): reason
        }
    }
}

extension MarketBoard {
    /// Hands out each market's price, nil where it is not fresh, with its time in milliseconds: without copying
    /// what else is known of 17,000 markets.
    ///
    /// A price that the last answer bore out comes before the newer one that did so.
    ///
    /// - Parameter answered: Whether a lane was answered in this turn; of the others, no price is handed out.
    func eachFreshPrice(
        at now: Int64, answered: (Lane) -> Bool, _ body: (_ place: Int, _ price: Price?, _ quotedAt: Int64) -> Void
    ) {
        for move in moves where move.stage == .confirmed {
            guard let place = places[move.market], answered(entries[place].lane) else { continue }
            body(place, move.price.price, move.price.quotedAt.milliseconds)
        }
        for place in entries.indices {
            guard answered(entries[place].lane), entries[place].isReached, case .known = entries[place].standing,
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

    /// Takes in an answer and says what of it is new. Markets of other lanes stay as they are.
    public mutating func take(_ answer: Answer) -> Digest {
        if let ranking = answer.ranking { follow(ranking) }
        var digest = Digest()
        let isHeard = answer.lanes.allSatisfy { sources[$0] == answer.feed }
        for lane in answer.lanes { sources[lane] = answer.feed }
        if answer.notModified, isHeard {
            for place in entries.indices where answer.lanes.contains(entries[place].lane) {
                entries[place].isReached = true
                entries[place].interval = answer.interval
                guard entries[place].shown != nil else {
                    entries[place].missedAnswers += 1
                    continue
                }
                entries[place].hearNothingNew(in: answer, &digest)
                digest.usable += 1
            }
        } else {
            var quoteOf: [MarketID: Int] = [:]
            quoteOf.reserveCapacity(answer.quotes.count)
            for (place, quote) in answer.quotes.enumerated().reversed() { quoteOf[quote.market] = place }
            for place in entries.indices where answer.lanes.contains(entries[place].lane) {
                let market = entries[place].market
                entries[place].interval = answer.interval
                entries[place].isReached = quoteOf[market] != nil || !answer.leavesOut(entries[place])
                guard entries[place].isReached else { continue }
                if entries[place].watchedSince == nil { entries[place].watchedSince = answer.fetchedAt }
                entries[place].missedAnswers += 1
                if let quote = quoteOf[market] {
                    entries[place].missedAnswers = 0
                    digest.usable += 1
                    entries[place].take(answer.quotes[quote], of: answer, &digest)
                } else if let reason = answer.unusable[market] {
                    entries[place].standing = reason == .noMapping ? .missing(reason) : .unknown(reason)
                } else {
                    entries[place].standing = .missing(.notAnswered)
                }
            }
        }
        for entry in entries where answer.lanes.contains(entry.lane) {
            digest.asked += 1
            guard let reason = entry.isReached ? entry.reason : .notAsked else { continue }
            digest.unknown.append((entry.market, reason))
        }
        digest.settle()
        moves =
            moves.filter { move in self[move.market].map { !answer.lanes.contains($0.lane) } ?? false } + digest.moves
        return digest
    }

    /// Takes in quotes of moments at which nobody asked; those that are no news are passed over. Returns the markets of
    /// the others.
    public mutating func take(healed quotes: [Quote], from feed: String) -> [MarketID] {
        quotes.compactMap { quote in
            guard let place = places[quote.market], let quotedAt = quote.quotedAt,
                entries[place].newest.map({ $0.quotedAt < quotedAt }) ?? true
            else { return nil }
            entries[place].heal(with: quote, at: quotedAt, from: feed)
            return quote.market
        }
    }

    /// The largest markets change places: those that left are watched no longer, unless they are named.
    private mutating func follow(_ ranking: [MarketID]) {
        guard watchlist.top > 0, ranking != watchlist.lastRanking else { return }
        var next = watchlist
        next.lastRanking = ranking
        watch(next)
    }
}

extension MarketBoard.Entry {
    /// How far ahead of the answer a provider's time may lie before it is no time at all.
    private static let futureTolerance = Duration.minutes(5)

    /// Takes in a quote; one that brings nothing that was not already recorded leaves no sample.
    fileprivate mutating func take(_ quote: Quote, of answer: Answer, _ digest: inout Digest) {
        symbol = quote.symbol
        name = quote.name
        // A time in the future would make every later quote look old.
        let stated = quote.quotedAt.flatMap { $0 > answer.fetchedAt + Self.futureTolerance ? nil : $0 }
        let sighting = MarketBoard.Sighting(
            price: quote.price, quotedAt: stated ?? answer.fetchedAt, fetchedAt: answer.fetchedAt, feed: answer.feed,
            reportedChange: quote.reportedChange)
        if let recorded = confirmation.candidate ?? newest {
            let (before, after) = (recorded.quotedAt.milliseconds, sighting.quotedAt.milliseconds)
            if after < before {
                standing = .known(confirmation == .settled ? .oldQuote : .unconfirmed)
                return
            }
            if after == before, quote.price == recorded.price { return hearAgain(sighting, &digest) }
        }
        trust(confirmation.hearing(sighting, trusted: newest, limit: limit), &digest)
        digest.samples.append(
            Sample(
                market: market, symbol: symbol, name: name, price: quote.price, quotedAt: sighting.quotedAt,
                volume24h: quote.volume24h, marketCap: quote.marketCap, confirmed: confirmation == .settled))
    }

    fileprivate mutating func heal(with quote: Quote, at quotedAt: Date, from feed: String) {
        (symbol, name) = (quote.symbol, quote.name)
        newest = MarketBoard.Sighting(price: quote.price, quotedAt: quotedAt, fetchedAt: quotedAt, feed: feed)
        confirmation = .settled
        standing = .known(nil)
    }

    /// The provider said that nothing has changed.
    fileprivate mutating func hearNothingNew(in answer: Answer, _ digest: inout Digest) {
        guard var candidate = confirmation.candidate else {
            newest?.fetchedAt = answer.fetchedAt
            return
        }
        candidate.fetchedAt = answer.fetchedAt
        hearAgain(candidate, &digest)
    }

    /// Takes in what is recorded already.
    private mutating func hearAgain(_ repeated: MarketBoard.Sighting, _ digest: inout Digest) {
        guard let newest else { return }
        trust(confirmation.hearingAgain(repeated, trusted: newest, limit: limit), &digest)
    }

    /// By the interval in force.
    private var limit: MoveLimit? {
        moveLimit.map { MoveLimit(percent: $0.percent, memory: max($0.memory, interval * 3)) }
    }

    private mutating func trust(_ verdict: MoveConfirmation.Verdict, _ digest: inout Digest) {
        func note(_ stage: LargeMove.Stage, _ price: MarketBoard.Sighting, against trusted: Price?) {
            guard let trusted else { return }
            digest.moves.append(LargeMove(market: market, stage: stage, price: price, trusted: trusted))
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
        standing = .known(confirmation == .settled ? nil : .unconfirmed)
    }
}

extension Answer {
    /// Nothing is known of this market, for which it holds no quote.
    fileprivate func leavesOut(_ entry: MarketBoard.Entry) -> Bool {
        unreached.contains(entry.market) || (rankingIsUnreached && !entry.named)
    }
}
