import Foundation
import History
import Markets

extension RehearsalReport {
    /// Plays what is recorded from `since` on through rules, and as much before it as they look back.
    ///
    /// - Parameter progress: is told how far it has come, from 0 to 1.
    init(
        playing reader: HistoryReader, through rules: [AlertRule], _ configuration: Configuration, since: Date,
        progress: (Double) -> Void = { _ in }
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
            in: settings.currency, since: since - memory - .hours(1), of: rules.marketsNamed)
        var report = RehearsalReport(
            of: rules, for: configuration.notify, since: max(since, replay.span?.lowerBound ?? since))
        if let span = replay.span {
            var rehearsal = Rehearsal(replay, rules, settings)
            let length = max(1, span.upperBound.since(span.lowerBound).inSeconds)
            try reader.play(replay) { turn in
                let events = rehearsal.play(turn)
                report.add(events, poll: turn.poll, of: rehearsal.board)
                if let poll = turn.poll { progress(poll.at.since(span.lowerBound).inSeconds / length) }
            }
            report.finish(recorded: rehearsal.seen, length: span.upperBound.since(span.lowerBound))
        }
        self = report
    }
}

extension RecordedTurn {
    /// Nil where nobody was asked.
    fileprivate var poll: RecordedPoll? { if case .polls(let polls) = kind { polls.first } else { nil } }
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
