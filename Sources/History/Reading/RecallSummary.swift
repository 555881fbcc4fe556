import Engine
import Foundation
import Markets

extension HistoryReader {
    /// The rolling summary of the last 24 hours, or of another window, rebuilt from the history. Where samples at the
    /// far end of the window were pruned, hourly candles replace them.
    package func rollingSummary(
        _ settings: Settings, window: Duration = .hours(24), at now: Date
    ) throws(HistoryError) -> RollingSummary {
        var summary = RollingSummary(settings, window: window, now: now)
        let start = now - window
        let oldest = try oldestPoll() ?? now
        if oldest > start { try coverHours(with: settings, since: start, until: oldest, in: &summary) }
        for source in settings.sources.map(\.id) {
            // A poll from before the window may cover its beginning.
            for (poll, interval) in try usablePolls(since: now - window * 2, of: source) {
                summary.cover(source, at: poll, interval: interval)
            }
        }
        if let polled = summary.pastNeeded(until: now, now: now) {
            summary.add(past: try pastPrices(in: settings.currency, polledIn: polled), polledBefore: polled.upperBound)
        }
        if oldest > start { try addCandles(in: settings.currency, to: &summary, at: now) }
        return summary
    }

    /// The trusted samples of the polls that began in a range, oldest poll first.
    package func pastPrices(in currency: Currency, polledIn polled: Range<Date>) throws(HistoryError) -> [PastPrice] {
        var prices: [PastPrice] = []
        try samples(in: currency, polledSince: polled.lowerBound, until: polled.upperBound) {
            prices.append(PastPrice($0, quotedAt: $1, price: $2))
        }
        return prices
    }

    /// Counts an hour as covered if it has candles of the source's markets.
    private func coverHours(
        with settings: Settings, since: Date, until: Date, in summary: inout RollingSummary
    ) throws(HistoryError) {
        let own = settings.ownSources.sources
        for (source, coverage) in summary.coverages {
            let step = min(coverage.longestStep, .hours(1))
            let markets = own.filter { source == .shared || $0.value == source }.map(\.key)
            let hours = try hoursWithCandles(
                since: since, until: until, of: markets, in: settings.currency, excluded: source == .shared)
            for hour in hours {
                var moment = hour
                while moment <= min(hour + .hours(1), until) {
                    summary.cover(source, at: moment)
                    moment = moment + step
                }
            }
        }
    }

    /// A candle contributes its open at the start of the hour, and its close at the end.
    private func addCandles(
        in currency: Currency, to summary: inout RollingSummary, at now: Date
    ) throws(HistoryError) {
        let span = summary.span(at: now)
        var prices: [PastPrice] = []
        try hourlyCandles(in: currency, since: span.lowerBound - .hours(1), until: span.upperBound) {
            prices.append(PastPrice($0, quotedAt: $1.start, price: $1.open))
            prices.append(PastPrice($0, quotedAt: $1.start + .hours(1) - .milliseconds(1), price: $1.close))
        }
        // Candles do not show which polls have been read.
        summary.add(past: prices, polledBefore: .distantPast)
    }
}
