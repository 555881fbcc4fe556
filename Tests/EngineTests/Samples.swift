import Foundation
import Markets

@testable import Engine

/// Short ways to write the values of a test.
func price(_ text: String) -> Price {
    guard let price = Price(parsing: text) else { preconditionFailure("\(text) is no price") }
    return price
}

func market(_ text: String) -> MarketID {
    do { return try MarketID(text) } catch { preconditionFailure("\(text) is no market id") }
}

func usd() -> Currency {
    do { return try Currency("usd") } catch { preconditionFailure("usd is no currency") }
}

/// A moment, in seconds after 2026-11-21T10:00:00Z.
func moment(_ seconds: Double = 0) -> Date { Date(timeIntervalSince1970: 1_795_255_200 + seconds) }

func quote(_ id: String, _ text: String, at quotedAt: Date?, change: String? = nil) -> Quote {
    Quote(
        market: market(id), symbol: String(id.prefix(3)), name: id.capitalized, currency: usd(), price: price(text),
        quotedAt: quotedAt, reportedChange: change.flatMap { Decimal(wholeText: $0) }.flatMap(Percent.init(rounding:)))
}

func board(
    _ ids: String..., top: Int = 0, remembering known: [MarketID: MarketBoard.Remembered] = [:]
) -> MarketBoard {
    MarketBoard(
        watching: Watchlist(
            named: ids.map { Watchlist.Item(market: market($0), staleness: .init(after: .minutes(15))) }, top: top,
            staleness: .init(after: .minutes(15)), currencies: .init(usd())),
        remembering: known)
}

func answer(
    _ quotes: Quote..., unusable: [String: UnknownReason] = [:], ranking: [String] = [], at fetchedAt: Date
) -> Answer {
    var answer = Answer(fetchedAt: fetchedAt)
    answer.quotes = quotes
    answer.unusable = Dictionary(uniqueKeysWithValues: unusable.map { (market($0), $1) })
    answer.ranking = ranking.map(market)
    return answer
}

/// The provider said that nothing has changed.
func nothingNew(at fetchedAt: Date) -> Answer {
    var answer = Answer(fetchedAt: fetchedAt)
    answer.notModified = true
    return answer
}

extension MarketBoard {
    /// Takes in an answer of the feed `test`.
    mutating func apply(
        _ answer: Answer, of source: SourceID = .shared, every: Duration = .minutes(1)
    ) -> BoardUpdate {
        apply(answer, from: "test", of: source, every: every)
    }
}

extension AlertRule.Condition: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let condition = Self(reading: text) else { preconditionFailure("\(text) is no condition") }
        self = condition
    }
}

/// `high`: bitcoin above 10.
func levelRule(
    _ name: String = "high", above level: String = "10", on market: String = "bitcoin", notify: [String]? = nil,
    critical: Bool = false
) -> AlertRule {
    AlertRule(
        name: name, scope: .markets([EngineTests.market(market)]), condition: .above(price(level)),
        severity: critical ? .critical : .warning, notify: notify)
}

func event(
    _ event: String, _ kind: AlertEvent.Kind = .firing, rule: String = "r", critical: Bool = false,
    silencedUntil: Date? = nil, about id: String = "bitcoin"
) -> AlertEvent {
    AlertEvent(
        id: event, kind: kind, reason: .firstFiring, rule: rule, market: market(id), symbol: "btc",
        name: "Bitcoin", currency: usd(), severity: critical ? .critical : .warning, note: nil, condition: "above 1",
        price: price("2"), threshold: price("1"), at: moment(), quotedAt: moment(), since: moment(),
        silencedUntil: silencedUntil, feed: "test", host: "box")
}

extension Coverage {
    func share(at now: Date) -> Percent { Self.share(of: [(self, 1)], at: now) }
}

extension AlertBook {
    /// A book of these rules alone.
    ///
    /// - Parameter own: a source of its own, with its market.
    init(
        rules: [AlertRule], remembering alerts: [AlertKey: Alert], identity: Identity,
        own: (market: MarketID, source: SourceSettings)? = nil
    ) {
        let staleness = Staleness(after: .minutes(15))
        let named = own.map { Watchlist.Item(market: $0.market, staleness: staleness, source: $0.source.id) }
        let shared = SourceSettings(id: .shared, members: [], every: .minutes(1), limit: .seconds(48))
        self.init(
            Settings(
                host: identity.host,
                watchlist: Watchlist(
                    named: named.map { [$0] } ?? [], top: 0, staleness: staleness, currencies: .init(usd())),
                sources: [shared] + (own.map { [$0.source] } ?? []), feeds: [], rules: rules, routing: Routing(),
                deadline: .minutes(1)),
            remembering: alerts, installation: identity.installation)
    }
}

extension AlertBook.Context {
    /// Where all markets are in the shared source.
    init(
        now: Date, interval: Duration, watchedUntil: Date? = nil, answered: Bool = true,
        lastUsableAnswer: Date? = nil, downtime: Range<Date>? = nil, backfilled: [MarketID: [PastQuote]] = [:]
    ) {
        let source = AlertBook.SourceContext(
            interval: interval, watchedUntil: watchedUntil, backfilled: backfilled, answered: answered,
            lastUsableAnswer: lastUsableAnswer)
        self.init(now: now, sources: [.shared: source], downtime: downtime)
    }
}
