import Engine
import Foundation
import History
import Markets
import Views

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
        var start = since ?? until - .hours(7 * 24)
        var candles: [Candle] = []
        try reader.candles(of: market, in: currency, every: .hours(1), since: start, until: until) {
            candles.append($0)
        }
        if since == nil, let first = candles.first { start = max(start, first.start) }
        var stretches = Stretches.of(hourly: candles, until: until)
        if until.since(start) <= Self.longestOfSamples {
            var polls: [PolledMarket] = []
            let settings = Settings(configuration, host: "")
            let source = settings.watchlist.named.first { $0.market == market }?.source ?? .shared
            try reader.polls(of: market, in: currency, since: start, until: until, source: source) {
                polls.append($0)
            }
            let polled = Stretches.of(
                polls, every: settings.every(of: source), staleAfter: configuration.staleness(of: market).after)
            // Candles remain where samples have been pruned.
            if !polled.isEmpty { stretches = polled }
            if since == nil, let first = stretches.first?.first?.start { start = max(start, first) }
        }
        self.init(of: market, in: currency, from: start, to: until, stretches)
        hours = candles
        let known = try reader.name(of: market)
        zone = configuration.zone
        symbol = known?.symbol ?? ""
        name = known?.name ?? ""
        events = try reader.events(since: start, on: market).filter {
            $0.currency == currency && $0.at < until && [.firing, .resolved].contains($0.kind)
        }
    }
}

/// Recorded prices, split where some are missing.
enum Stretches {
    /// Candles of one hour, oldest first, each moved to its middle. A missing candle leaves a gap.
    ///
    /// - Parameter end: The end of the chart; the current candle ends later.
    static func of(hourly candles: [Candle], until end: Date) -> [[Candle]] {
        // Candles are aligned to a grid: a step of twice the usual length means that one is missing.
        let steps = UsualStep(candles.map(\.start), factor: 1.5)
        let moved = candles.map { candle in
            var candle = candle
            candle.start = min(candle.start + .minutes(30), max(candle.start, end))
            return candle
        }
        return split(moved, where: steps.isFar)
    }

    /// Polled prices, by quote time.
    ///
    /// - Parameters:
    ///   - polls: By time.
    ///   - every: The time between two polls.
    ///   - staleAfter: How long a price is valid while the provider has no newer one.
    static func of(_ polls: [PolledMarket], every: Duration, staleAfter: Duration) -> [[Candle]] {
        struct Quote {
            var price: Candle
            var isBackfilled: Bool
            /// Whether polls failed or were left out since the previous one.
            var isInterrupted: Bool
        }
        let answers = polls.filter { !$0.isBackfilled && $0.finding != .nothing }.map(\.polledAt)
        let pauses = UsualStep(answers, fallback: every)
        var answered = 0
        var isInterrupted = false
        var quotes: [Quote] = []
        for poll in polls {
            if poll.finding == .nothing { isInterrupted = true }
            if poll.finding != .nothing, !poll.isBackfilled {
                if answered > 0, pauses.isFar(answered) { isInterrupted = true }
                answered += 1
            }
            guard case .quoted(let at, let price) = poll.finding else { continue }
            quotes.append(
                Quote(
                    price: Candle(start: at, first: price), isBackfilled: poll.isBackfilled,
                    isInterrupted: isInterrupted))
            if !poll.isBackfilled { isInterrupted = false }
        }
        quotes.sort { $0.price.start < $1.price.start }
        let steps = UsualStep(quotes.map(\.price.start), fallback: every)
        return split(quotes.map(\.price)) { index in
            let (before, after) = (quotes[index - 1], quotes[index])
            if before.isBackfilled || after.isBackfilled { return steps.isFar(index) }
            // While polls continued without a newer quote, the price is valid until it is stale.
            return after.isInterrupted
                || steps.isFar(index) && after.price.start.since(before.price.start) > staleAfter
        }
    }

    private static func split(_ prices: [Candle], where isGap: (Int) -> Bool) -> [[Candle]] {
        var stretches: [[Candle]] = []
        for (index, price) in prices.enumerated() {
            if index == 0 || isGap(index) { stretches.append([]) }
            stretches[stretches.count - 1].append(price)
        }
        return stretches
    }
}

/// The usual step between times, measured near each of them: where backfilled prices of every five minutes meet polled
/// ones of every minute, there is no gap.
private struct UsualStep {
    /// In seconds; the step at i is from time i to time i + 1.
    private let steps: [Double]
    private let fallback: Double
    private let factor: Double

    /// - Parameters:
    ///   - moments: In order.
    ///   - fallback: The usual step if there are too few times; nil: any step is usual.
    ///   - factor: A step is far that is longer than this many usual ones.
    init(_ moments: [Date], fallback: Duration? = nil, factor: Double = 2) {
        steps = zip(moments, moments.dropFirst()).map { $1.since($0).inSeconds }
        self.fallback = fallback?.inSeconds ?? .infinity
        self.factor = factor
    }

    /// Whether the step before the time at `index` is far.
    func isFar(_ index: Int) -> Bool {
        let step = steps[index - 1]
        let before = steps[max(0, index - 5)..<(index - 1)]
        let after = steps[index..<min(steps.count, index + 4)]
        if before.isEmpty, after.isEmpty { return step > fallback * factor }
        // The step exceeds twice the median if it exceeds twice the step of more than half of the neighbours.
        return [before, after].allSatisfy { side in
            side.isEmpty || side.count { step > $0 * factor } * 2 > side.count
        }
    }
}
