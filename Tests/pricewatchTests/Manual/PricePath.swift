import Foundation
import Markets

@testable import Engine
@testable import pricewatch

/// What a market does, poll by poll, and what a configuration makes of it: the daemon's own rules, board and book. All
/// other markets stay at 1,000.
struct PricePath {
    let market: String
    /// The time between two polls.
    let every: Duration
    /// Prices with how often they stand; `?` no price, `x` a failed poll. `60000*5 59000*3`
    let prices: String

    init(_ market: String, every: Duration = .minutes(1), _ prices: String) {
        self.market = market
        self.every = every
        self.prices = prices
    }

    /// What a rule announces, in the words of its events: `firing first_firing`.
    func words(under configuration: Configuration, of rule: String) throws -> [String] {
        try events(under: configuration, of: rule).map { "\($0.kind.rawValue) \($0.reason.rawValue)" }
    }

    func events(under configuration: Configuration, of rule: String) throws -> [AlertEvent] {
        var settings = Settings(configuration, host: "box")
        for place in settings.sources.indices where settings.sources[place].id == .shared {
            settings.sources[place].every = every
        }
        var board = MarketBoard(watching: settings.watchlist)
        var book = AlertBook(settings, installation: "here")
        let id = try MarketID(market)
        let source = settings.watchlist.ownSources[id] ?? .shared
        var now = Told.now
        var lastUsable = now
        var events: [AlertEvent] = []
        for price in steps {
            let isAnswered = price != "x"
            if isAnswered {
                let price = Price(parsing: price)
                let quote = price.map {
                    Quote(
                        market: id, symbol: Self.symbols[market] ?? market, name: market,
                        currency: settings.watchlist.currencies[id],
                        price: $0, quotedAt: now)
                }
                var answer = Answer(fetchedAt: now)
                answer.quotes = others(than: id, settings, at: now) + [quote].compactMap(\.self)
                answer.unusable = quote == nil ? [id: .nullPrice] : [:]
                _ = board.apply(answer, from: "test", of: source, every: every)
                if quote != nil { lastUsable = now }
            }
            let changes = book.evaluate(
                board,
                at: .init(
                    now: now,
                    sources: [
                        source: .init(interval: every, answered: isAnswered, lastUsableAnswer: lastUsable)
                    ]))
            events += changes.events.filter { $0.rule == rule }
            now = now + every
        }
        return events
    }

    private func others(than id: MarketID, _ settings: Settings, at now: Date) -> [Quote] {
        settings.watchlist.named.filter { $0.market != id }.compactMap { item in
            Price(significand: 1, exponent: 3).map {
                Quote(
                    market: item.market, symbol: "", name: "", currency: settings.watchlist.currencies[item.market],
                    price: $0, quotedAt: now)
            }
        }
    }

    private static let symbols = ["bitcoin": "btc", "ethereum": "eth", "solana": "sol", "tether": "usdt"]

    private var steps: [String] {
        prices.split(separator: " ").flatMap { word in
            let parts = word.split(separator: "*")
            return Array(repeating: String(parts[0]), count: parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
        }
    }
}
