import Engine
import Foundation
import History
import Markets

extension RehearsalReport {
    /// Replays the record from `since` on through rules, preceded by as much as the rules look back on.
    ///
    /// - Parameters:
    ///   - withBackfilled: Also replays backfilled prices, as the polls that would have found them.
    ///   - progress: Called with the share done, from 0 to 1.
    init(
        playing reader: HistoryReader, through rules: [AlertRule], _ configuration: Configuration, since: Date,
        withBackfilled: Bool = false, progress: (Double) -> Void = { _ in }
    ) throws {
        guard try reader.lastPoll() != nil else {
            throw CommandError(
                "rehearse with \(reader.path): nothing is recorded yet (start the daemon: pricewatch run)",
                Exit.noSuchData)
        }
        var settings = Settings(configuration, host: "")
        settings.rules = rules
        let memory = rules.filter(\.enabled).map(\.memory).max() ?? .zero
        // A quote may be some minutes older than its poll.
        let replay = try reader.replay(
            in: settings.currency, since: since - memory - .hours(1), of: rules.marketsNamed,
            withBackfilled: withBackfilled)
        var report = RehearsalReport(
            of: rules, for: configuration.notify, since: max(since, replay.span?.lowerBound ?? since),
            withBackfilled: withBackfilled)
        if let span = replay.span {
            var rehearsal = Rehearsal(replay, settings, since: span.lowerBound)
            let length = max(1, span.upperBound.since(span.lowerBound).inSeconds)
            var hasBegun = false
            try reader.play(replay) { turn in
                if !hasBegun, let moment = turn.moment, moment >= since {
                    rehearsal.forgetLatches()
                    hasBegun = true
                }
                report.add(rehearsal.play(turn), of: turn, rehearsal.board)
                if let moment = turn.moment { progress(moment.since(span.lowerBound).inSeconds / length) }
            }
            report.finish(recorded: rehearsal.seen, length: span.upperBound.since(span.lowerBound))
        }
        self = report
    }
}

extension RecordedCycle {
    /// The time of the prices; nil for an idle cycle.
    fileprivate var moment: Date? {
        switch kind {
        case .polls(let polls): polls.first?.at
        case .backfilled(let samples, feed: _): samples.first?.quotedAt
        case .idle: nil
        }
    }
}

extension [AlertRule] {
    /// The markets that the rules name; nil if a rule applies to all.
    fileprivate var marketsNamed: Set<MarketID>? {
        var named: Set<MarketID> = []
        for rule in self {
            switch rule.scope {
            case .all: return nil
            case .markets(let markets): named.formUnion(markets)
            case .feed: break
            }
        }
        return named
    }
}
