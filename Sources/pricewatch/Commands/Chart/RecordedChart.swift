import Foundation
import History
import Markets

extension Chart {
    /// Beyond this span, candles are drawn: there are more prices than anything could show.
    private static let longestOfSamples = Duration.hours(48)

    /// What the history holds of a market.
    ///
    /// - Parameter since: Where the chart begins; nil: a week back, or where the history begins if that is later.
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
            let plan = configuration.lanePlan(of: market)
            try reader.polls(of: market, in: currency, since: start, until: until, lane: plan.lane) { polls.append($0) }
            let quotes = PolledPrices(
                polls, every: plan.every,
                staleAfter: configuration.staleness(of: market).after)
            // Where the samples have been pruned, the candles are left.
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
