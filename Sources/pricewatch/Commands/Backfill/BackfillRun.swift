import Feeds
import Foundation
import History
import Markets

/// One run of the command: prints the cost, sends the requests, and shows the progress.
struct BackfillRun {
    private let configuration: Configuration
    private let backfiller: Backfiller
    private let sources: [PastSource]
    private let since: TimeArgument

    init(_ configuration: Configuration, _ store: CommandDatabase, _ sources: [PastSource], since: TimeArgument) {
        self.configuration = configuration
        self.sources = sources
        self.since = since
        backfiller = Backfiller(
            store: store, currency: configuration.currency, budget: .command,
            limits: PastLimits(configuration))
    }

    func perform() async throws {
        let now = backfiller.time.now()
        let start = since.date(now: now)
        guard start < now else { throw CommandError("backfill: --since lies in the future", Exit.usage) }
        let plan = try backfiller.plan(sources, since: start, longerThan: configuration.tick * 2)
        var progress = BackfillProgress(plan, backfiller)
        guard !plan.steps.isEmpty else { return progress.nothingMissing(since: start) }
        var allowed: [String: Int] = [:]
        for (feed, _) in plan.requests { allowed[feed.name] = await backfiller.allowance(of: feed) }
        await progress.begin(allowed)
        var last: Feed?
        do {
            for step in plan.steps {
                let feed = step.source.feed
                guard allowed[feed.name, default: 0] > 0 else { throw Backfiller.Obstacle.quota(feed: feed.name) }
                allowed[feed.name]? -= 1
                if last != nil { try await backfiller.pause(for: feed) }
                last = feed
                progress.add(step, try await backfiller.ask(step))
            }
        } catch let obstacle as Backfiller.Obstacle {
            progress.interrupt()
            throw complaint(obstacle)
        }
        try progress.end()
    }

    private func complaint(_ obstacle: Backfiller.Obstacle) -> CommandError {
        let resume = "; what was answered is kept, and the same command goes on from there"
        switch obstacle {
        case .cancelled: return CommandError("backfill: interrupted\(resume)", Exit.noAnswer)
        case .waiting(let feed, let until, let message):
            return CommandError(
                "backfill: \(feed) is not asked before \(until.utcText): \(message)\(resume)", Exit.noAnswer)
        case .quota(let feed):
            return CommandError(
                "backfill: \(feed): half of what was left of the month's quota is used up, the rest is for the polls"
                    + resume, Exit.noAnswer)
        case .failed(let error): return CommandError("backfill: \(error.message)\(resume)", Exit.noAnswer)
        case .unwritten(let error): return CommandError(error)
        }
    }
}
