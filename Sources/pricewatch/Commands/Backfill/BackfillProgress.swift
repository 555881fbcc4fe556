import Foundation
import History
import Markets
import Views

/// The progress of a backfill: a bar on a terminal, else a line for each request.
struct BackfillProgress {
    private let plan: BackfillPlan
    private let zone: Zone
    private(set) var bar = ProgressBar("healing")
    private let terminal = Terminal.output
    private var done = 0
    private var requests = 0
    private var samples = 0
    private let markets: Set<MarketID>
    private var refused: [MarketID: String] = [:]

    init(_ plan: BackfillPlan, in zone: Zone) {
        self.zone = zone
        self.plan = plan
        markets = Set(plan.steps.map(\.source.market))
    }

    /// The cost of the backfill.
    ///
    /// - Parameter allowed: The requests that may be sent, by feed name.
    mutating func begin(_ allowed: [String: Int], now: Date) async {
        for source in plan.sources {
            let feed = source.feed
            let count = plan.steps.count { $0.source.feed === feed }
            let used = await feed.requests(in: UTCMonth(now))
            var line = "\(feed.name): \(Self.count(count, "request")), \(used) "
            line += source.quota.map { "of \($0) are used this month" } ?? "sent this month"
            if let most = allowed[feed.name], most < count { line += "; \(most) may go into the past" }
            write(line)
        }
        write("\(Self.count(markets.count, "market")), about \(duration)")
        bar.show(0)
    }

    mutating func add(_ step: BackfillPlan.Step, _ outcome: Backfiller.Outcome) {
        let market = step.source.market
        done += 1
        var line = "\(market): "
        let span = step.holes.extent.map { "from \(zone.text(from: $0.lowerBound, to: $0.upperBound))" } ?? ""
        switch outcome {
        case .answered(let new):
            requests += 1
            samples += new
            line += "\(Self.count(new, "price")) \(span)"
        case .settled: line += "healed already \(span)"
        case .refused(let error):
            requests += 1
            refused[market] = error.message
            line += error.message
        }
        bar.show(Double(done) / Double(plan.steps.count))
        if !terminal.isTerminal { write(line) }
    }

    func end() throws {
        bar.finish()
        if terminal.isTerminal {
            for (market, message) in refused.sorted(by: { $0.key < $1.key }) { write("\(market): \(message)") }
        }
        let backfilled = markets.count - refused.count
        write(
            "healed \(Self.count(backfilled, "market")): \(Self.count(samples, "price")), \(Self.count(requests, "question"))"
        )
        guard backfilled > 0 else { throw CommandError("backfill: no market got a usable answer", Exit.noAnswer) }
    }

    private func write(_ line: String) { StandardOutput.write(lines: [SafeText.printable(line)]) }

    private var duration: String {
        let duration = plan.steps.dropFirst().reduce(.zero) { $0 + $1.source.pause }
        return duration < .seconds(1) ? "a second" : Duration.seconds(duration.components.seconds).unitsText
    }

    private static func count(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
}
