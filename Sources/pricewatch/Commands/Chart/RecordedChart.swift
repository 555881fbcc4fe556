import Engine
import Foundation
import History
import Markets

extension Chart {
    /// Longer spans are drawn from candles: they have more prices than a chart can show.
    private static let longestOfSamples = Duration.hours(48)

    /// Reads the chart of a market from the history.
    ///
    /// - Parameter since: The start of the chart; nil: a week ago, or the start of the history if that is later.
    init(
        of market: MarketID, in currency: Currency, from reader: HistoryReader, _ configuration: Configuration,
        since: Date?, until: Date
    ) throws(HistoryError) {
        let name = try reader.names().first { $0.market == market }
        var start = since ?? until - .hours(7 * 24)
        let length = Duration.hours(1)
        var candles: [Candle] = []
        try reader.candles(of: market, in: currency, every: length, since: start, until: until) { candles.append($0) }
        if since == nil, let first = candles.first { start = max(start, first.start) }
        var series = ChartSeries(candles, length: length, until: until)
        if until.since(start) <= Self.longestOfSamples {
            var polls: [PolledMarket] = []
            let settings = Settings(configuration, host: "")
            let source = settings.watchlist.named.first { $0.market == market }?.source ?? .shared
            try reader.polls(of: market, in: currency, since: start, until: until, source: source) {
                polls.append($0)
            }
            let quotes = PolledPrices(
                polls, every: settings.every(of: source),
                staleAfter: configuration.staleness(of: market).after)
            // Candles remain where samples have been pruned.
            if !quotes.quotes.isEmpty || candles.isEmpty { series = ChartSeries(quotes) }
            if since == nil, let first = series.start { start = max(start, first) }
        }
        let from = start
        self.init(
            market: market, symbol: name?.symbol ?? "", name: name?.name ?? "", currency: currency, start: from,
            end: max(until, from + .seconds(1)), series: series,
            events: try reader.events(since: from).filter {
                $0.market == market && $0.at < until && [.firing, .resolved].contains($0.kind)
            })
    }
}
