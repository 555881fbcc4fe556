import Engine
import Foundation
import History
import Markets

/// Turns what was recorded of polls back into the answers that they were.
struct RecordedQuotes {
    /// The places of the markets that are watched.
    var watched: [Int]
    private let currency: Currency
    private let names: [HistoryReader.Name]
    /// By place, the newest recorded quote, trusted or not.
    private var newest: [(quotedAt: Date, price: Price)?]
    /// By place, what the poll at hand says of it.
    private var said: [Word]

    private enum Word {
        /// Nothing: known and unchanged.
        case same
        case new
        case not(UnknownReason)
    }

    init(_ replay: Replay, in currency: Currency) {
        watched = replay.watched
        self.currency = currency
        names = replay.markets
        newest = replay.markets.indices.map { place in replay.newest[place].map { ($0.quotedAt, $0.price) } }
        said = Array(repeating: .same, count: replay.markets.count)
    }

    /// The answer that left this record; nil where there was none.
    ///
    /// - Parameters:
    ///   - lanes: Whose markets were asked for.
    ///   - lane: By place, whose each market is.
    mutating func answer(in poll: RecordedPoll, asked lanes: [Lane], _ lane: [Lane]) -> Answer? {
        guard poll.isAnswered else { return nil }
        for (place, reason) in poll.unknown { said[place] = .not(reason) }
        for sample in poll.samples {
            said[sample.market] = .new
            newest[sample.market] = (sample.quotedAt, sample.price)
        }
        var quotes: [Quote] = []
        quotes.reserveCapacity(watched.count)
        var unusable: [MarketID: UnknownReason] = [:]
        var unreached: Set<MarketID> = []
        for place in watched where lanes.contains(lane[place]) {
            switch (said[place], newest[place]) {
            case (.new, let quote?), (.same, let quote?):
                quotes.append(self.quote(place, quote.price, quote.quotedAt))
            case (.not(.oldQuote), let quote?), (.not(.unconfirmed), let quote?):
                // Its time is all that is told of a quote that was too old to be recorded.
                quotes.append(self.quote(place, quote.price, quote.quotedAt - .milliseconds(1)))
            case (.not(.notAnswered), _): break
            case (.not(.notAsked), _): unreached.insert(names[place].market)
            case (.not(let reason), _): unusable[names[place].market] = reason
            case (.new, nil), (.same, nil): unusable[names[place].market] = .notAsked
            }
        }
        for (place, _) in poll.unknown { said[place] = .same }
        for sample in poll.samples { said[sample.market] = .same }
        return Answer(
            quotes: quotes, unusable: unusable, unreached: unreached, feed: poll.feed, lanes: lanes,
            interval: poll.interval, fetchedAt: poll.fetchedAt)
    }

    /// The quote that a healed price is; nil where a newer one was recorded.
    mutating func healed(_ sample: RecordedPoll.Sample) -> Quote? {
        guard newest[sample.market].map({ $0.quotedAt < sample.quotedAt }) ?? true else { return nil }
        newest[sample.market] = (sample.quotedAt, sample.price)
        return quote(sample.market, sample.price, sample.quotedAt)
    }

    /// The markets of which anything was known.
    var seen: Set<MarketID> { Set(names.indices.filter { newest[$0] != nil }.map { names[$0].market }) }

    private func quote(_ place: Int, _ price: Price, _ quotedAt: Date) -> Quote {
        let name = names[place]
        return Quote(
            market: name.market, symbol: name.symbol, name: name.name, currency: currency, price: price,
            quotedAt: quotedAt)
    }
}

extension RecordedPoll {
    /// An answer without a usable price is a failure that says of each market why.
    var isAnswered: Bool { outcome.isUsable || !unknown.isEmpty }
}
