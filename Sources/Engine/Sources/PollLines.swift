import Foundation
import Markets

extension LogLine {
    static func poll(
        _ poll: TakenPoll, _ day: DaySummary, tookMilliseconds: Int?, failuresBefore: Int
    ) -> LogLine {
        LogLine(.info, "poll.\(poll.update.outcome.rawValue)") { line in
            line.add("feed", poll.feed)
            line.add("markets", poll.update.usable)
            line.add("took_ms", tookMilliseconds)
            line.add(day)
            if failuresBefore > 0 { line.add("after_failures", failuresBefore) }
            line.add("message", poll.error?.message)
        }
    }

    static func failed(_ poll: TakenPoll, count: Int) -> LogLine {
        LogLine(.warning, "poll.failed") { line in
            line.add("feed", poll.feed)
            line.add("kind", poll.error?.kind.rawValue)
            line.add("count", count)
            line.add("message", poll.error?.message)
            line.add("attempts", poll.requests)
            line.add("retry_at", poll.error?.retryAt)
        }
    }

    static func retry(_ retry: PollResult.Retry, of feed: String) -> LogLine {
        LogLine(.info, "poll.retry") { line in
            line.add("feed", feed)
            line.add("attempt", retry.attempt)
            line.add("delay", retry.delay)
            line.add("kind", retry.error.kind.rawValue)
            line.add("message", retry.error.message)
        }
    }

    static func maxAge(_ maxAge: Duration, of poll: TakenPoll) -> LogLine {
        LogLine(.info, "feed.max_age") { line in
            line.add("feed", poll.feed)
            line.add("max_age", maxAge)
            line.add("every", poll.interval)
            line.add("message", "polling more often than the provider refreshes its answers")
        }
    }

    static func change(_ change: FeedChange) -> LogLine {
        LogLine(change.isRestored ? .info : .warning, change.isRestored ? "feed.restored" : "feed.switched") { line in
            line.add("feed", change.to)
            line.add("from", change.from)
            line.add("kind", change.error?.kind.rawValue)
            line.add("message", change.error?.message)
        }
    }

    /// Large moves: one line each, or one line per stage if more than `mostSingleMoves` markets move at once (such as
    /// when a provider switches its currency).
    static func moves(_ moves: [LargeMove]) -> [LogLine] {
        [LargeMove.Stage.confirmed, .rejected, .unconfirmed].flatMap { stage in
            let alike = moves.filter { $0.stage == stage }
            guard alike.count <= mostSingleMoves else {
                let names = alike.prefix(3).map(\.market.text).joined(separator: ", ")
                return [
                    LogLine(.warning, "price.\(stage.rawValue)") { line in
                        line.add("count", alike.count)
                        line.add("message", "\(names) and \(alike.count - 3) more")
                    }
                ]
            }
            return alike.map { move in
                LogLine(stage == .confirmed ? .info : .warning, "price.\(stage.rawValue)") { line in
                    line.add("market", move.market.text)
                    line.add("price", move.price.price)
                    line.add("trusted", move.trusted)
                    line.add("quoted_at", move.price.quotedAt)
                    line.add("feed", move.price.feed)
                }
            }
        }
    }

    private static let mostSingleMoves = 5
}
