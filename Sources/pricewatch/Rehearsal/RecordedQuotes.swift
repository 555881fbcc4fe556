import Engine
import Foundation
import History
import Markets

/// Rebuilds the answers of recorded polls.
struct RecordedQuotes {
    /// The indices of the watched markets in `names`.
    var watched: [Int]
    private let currency: Currency
    private let names: [HistoryReader.Name]
    /// By index, the newest recorded quote, confirmed or not.
    private var newest: [(quotedAt: Date, price: Price)?]
    /// By index, what the current poll records of the market.
    private var said: [Word]

    private enum Word {
        /// No record in this poll: the quote is unchanged.
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

    /// The answer of this recorded poll; a failure if it had none.
    ///
    /// - Parameter sources: By index, the source of each market.
    mutating func result(of poll: RecordedPoll, _ sources: [SourceID]) -> PollResult {
        guard poll.isAnswered else {
            let error = PollError(poll.error.flatMap(PollError.Kind.init) ?? .empty, message: "", isRetryable: true)
            return PollResult(feed: poll.feed, .failed(error))
        }
        for (place, reason) in poll.unknown { said[place] = .not(reason) }
        for sample in poll.samples {
            said[sample.market] = .new
            newest[sample.market] = (sample.quotedAt, sample.price)
        }
        var answer = Answer(fetchedAt: poll.fetchedAt)
        answer.quotes.reserveCapacity(watched.count)
        for place in watched where sources[place] == poll.source {
            switch (said[place], newest[place]) {
            case (.new, let quote?), (.same, let quote?):
                answer.quotes.append(self.quote(place, quote.price, quote.quotedAt))
            case (.not(.oldQuote), let quote?), (.not(.unconfirmed), let quote?):
                // Of a quote that was too old only the poll's time is recorded: any time before the newest is too old.
                answer.quotes.append(self.quote(place, quote.price, quote.quotedAt - .milliseconds(1)))
            case (.not(.notAnswered), _): break
            case (.not(.notAsked), _): answer.unreached.insert(names[place].market)
            case (.not(let reason), _): answer.unusable[names[place].market] = reason
            case (.new, nil), (.same, nil): answer.unusable[names[place].market] = .notAsked
            }
        }
        for (place, _) in poll.unknown { said[place] = .same }
        for sample in poll.samples { said[sample.market] = .same }
        return PollResult(feed: poll.feed, .answered(answer))
    }

    /// The quote of a backfilled price; nil if a newer one is recorded.
    mutating func backfilled(_ sample: RecordedPoll.Sample) -> Quote? {
        guard newest[sample.market].map({ $0.quotedAt < sample.quotedAt }) ?? true else { return nil }
        newest[sample.market] = (sample.quotedAt, sample.price)
        return quote(sample.market, sample.price, sample.quotedAt)
    }

    /// The markets with at least one recorded price.
    var seen: Set<MarketID> { Set(names.indices.filter { newest[$0] != nil }.map { names[$0].market }) }

    private func quote(_ place: Int, _ price: Price, _ quotedAt: Date) -> Quote {
        let name = names[place]
        return Quote(
            market: name.market, symbol: name.symbol, name: name.name, currency: currency, price: price,
            quotedAt: quotedAt)
    }
}

extension RecordedPoll {
    /// A poll without a usable price is still an answer if it records a reason for each market.
    var isAnswered: Bool { outcome.isUsable || !unknown.isEmpty }
}
