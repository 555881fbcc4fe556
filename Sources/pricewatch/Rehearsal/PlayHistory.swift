import Engine
import Foundation
import History
import Markets

extension RehearsalReport {
    /// Plays what is recorded from `since` on through rules, and as much before it as they look back.
    ///
    /// - Parameters:
    ///   - withHealed: Healed prices are played, too, as the polls that would have seen them.
    ///   - progress: is told how far it has come, from 0 to 1.
    init(
        playing reader: HistoryReader, through rules: [AlertRule], _ configuration: Configuration, since: Date,
        withHealed: Bool = false, progress: (Double) -> Void = { _ in }
    ) throws {
        guard try reader.lastPoll() != nil else {
            throw Complaint(
                "rehearse with \(reader.path): nothing is recorded yet (start the daemon: pricewatch run)",
                Exit.noSuchData)
        }
        let settings = CycleSettings(configuration, host: "", startedAt: since)
        let memory = rules.filter(\.enabled).map(\.memory).max() ?? .zero
        // A quote may be some minutes older than the poll that brought it.
        let replay = try reader.replay(
            in: settings.currency, since: since - memory - .hours(1), of: rules.marketsNamed, withHealed: withHealed)
        var report = RehearsalReport(
            of: rules, for: configuration.notify, since: max(since, replay.span?.lowerBound ?? since),
            withHealed: withHealed)
        if let span = replay.span {
            // What is asked while turns are read needs a connection of its own.
            var rehearsal = Rehearsal(replay, rules, settings, past: try HistoryReader(at: reader.path))
            let length = max(1, span.upperBound.since(span.lowerBound).inSeconds)
            var hasBegun = false
            try reader.play(replay) { turn in
                if !hasBegun, let moment = turn.moment, moment >= since {
                    rehearsal.forgetRests()
                    hasBegun = true
                }
                report.add(try rehearsal.play(turn), of: turn, rehearsal.board)
                if let moment = turn.moment { progress(moment.since(span.lowerBound).inSeconds / length) }
            }
            report.finish(recorded: rehearsal.seen, length: span.upperBound.since(span.lowerBound))
        }
        self = report
    }
}

extension RecordedTurn {
    /// When prices were known; nil where nobody was asked.
    fileprivate var moment: Date? {
        switch kind {
        case .polls(let polls): polls.first?.at
        case .healed(let samples, feed: _): samples.first?.quotedAt
        case .start, .recalled, .waiting: nil
        }
    }
}

extension [AlertRule] {
    /// The markets that they are about; nil where some rule is about all.
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
