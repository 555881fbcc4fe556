import Feeds
import Foundation
import History
import Markets

/// One run of the command: says what it will cost, asks, and tells how far it is.
struct BackfillRun {
    private let configuration: Configuration
    private let healer: Healer
    private let sources: [PastSource]
    private let since: TimeArgument

    init(_ configuration: Configuration, _ desk: HealingDesk, _ sources: [PastSource], since: TimeArgument) {
        self.configuration = configuration
        self.sources = sources
        self.since = since
        healer = Healer(
            store: desk, currency: configuration.currency, budget: .command,
            limits: PastLimits(configuration))
    }

    func perform() async throws {
        let now = healer.time.now()
        let start = since.date(now: now)
        guard start < now else { throw Complaint("backfill: --since lies in the future", Exit.usage) }
        let plan = try healer.plan(sources, since: start, longerThan: configuration.tick * 2)
        var progress = BackfillProgress(plan, healer)
        guard !plan.steps.isEmpty else { return progress.nothingToHeal(since: start) }
        var allowed: [String: Int] = [:]
        for (feed, _) in plan.requests { allowed[feed.name] = await healer.allowance(of: feed) }
        await progress.begin(allowed)
        var last: Feed?
        do {
            for step in plan.steps {
                let feed = step.source.feed
                guard allowed[feed.name, default: 0] > 0 else { throw Healer.Obstacle.quota(feed: feed.name) }
                allowed[feed.name]? -= 1
                if last != nil { try await healer.pause(for: feed) }
                last = feed
                progress.add(step, try await healer.ask(step))
            }
        } catch let obstacle as Healer.Obstacle {
            progress.interrupt()
            throw complaint(obstacle)
        }
        try progress.end()
    }

    private func complaint(_ obstacle: Healer.Obstacle) -> Complaint {
        let resume = "; what was answered is kept, and the same command goes on from there"
        switch obstacle {
        case .cancelled: return Complaint("backfill: interrupted\(resume)", Exit.noAnswer)
        case .waiting(let feed, let until, let message):
            return Complaint(
                "backfill: \(feed) is not asked before \(until.utcText): \(message)\(resume)", Exit.noAnswer)
        case .quota(let feed):
            return Complaint(
                "backfill: \(feed): half of what was left of the month's quota is used up, the rest is for the polls"
                    + resume, Exit.noAnswer)
        case .failed(let error): return Complaint("backfill: \(error.message)\(resume)", Exit.noAnswer)
        case .unwritten(let error): return Complaint(error)
        }
    }
}
