import Foundation
import History
import Markets
import Views

/// The progress of a backfill: a bar on a terminal, else a line for each request.
struct BackfillProgress {
    private let plan: BackfillPlan
    private let terminal: Terminal
    private var done = 0
    private var requests = 0
    private var samples = 0
    private var left: [MarketID: Int]
    private var refused: [MarketID: String] = [:]

    init(_ plan: BackfillPlan) {
        self.plan = plan
        terminal = Terminal(environment: ProcessInfo.processInfo.environment)
        left = Dictionary(plan.steps.map { ($0.source.market, 1) }, uniquingKeysWith: +)
    }

    func nothingMissing(since: Date) {
        write("nothing to heal since \(since.utcText)")
    }

    /// The cost of the backfill.
    ///
    /// - Parameter allowed: The requests that may be sent, by feed name.
    func begin(_ allowed: [String: Int], now: Date) async {
        for source in plan.sources {
            let feed = source.feed
            let count = plan.steps.count { $0.source.feed === feed }
            let used = await feed.requests(in: UTCMonth(now))
            var line = "\(feed.name): \(Self.count(count, "request")), \(used) "
            line += source.quota.map { "of \($0) are used this month" } ?? "sent this month"
            if let most = allowed[feed.name], most < count { line += "; \(most) may go into the past" }
            write(line)
        }
        write("\(Self.count(left.count, "market")), about \(Self.duration(of: plan.steps[...]))")
        show()
    }

    mutating func add(_ step: BackfillPlan.Step, _ outcome: Backfiller.Outcome) {
        let market = step.source.market
        done += 1
        left[market, default: 1] -= 1
        var line = "\(market): "
        let span = step.holes.extent.map { "from \($0.lowerBound.utcText) to \($0.upperBound.utcText)" } ?? ""
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
        if terminal.isTerminal { show() } else { write(line) }
    }

    /// Ends the line of the bar.
    func interrupt() {
        if terminal.isTerminal { write("") }
    }

    func end() throws {
        interrupt()
        if terminal.isTerminal {
            for (market, message) in refused.sorted(by: { $0.key < $1.key }) { write("\(market): \(message)") }
        }
        let backfilled = left.keys.filter { refused[$0] == nil }.count
        write(
            "healed \(Self.count(backfilled, "market")): \(Self.count(samples, "price")), \(Self.count(requests, "question"))"
        )
        guard backfilled > 0 else { throw CommandError("backfill: no market got a usable answer", Exit.noAnswer) }
    }

    private func show() {
        guard terminal.isTerminal else { return }
        let width = 24
        let full = width * done / max(1, plan.steps.count)
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
        let markets = left.values.count { $0 <= 0 }
        var output = StandardOutput()
        // Returns to the start of the line and clears it.
        output.write(
            "\r\u{1B}[K\(bar) \(markets)/\(left.count) markets, \(Self.count(samples, "price")), "
                + "\(Self.count(requests, "question")), "
                + "\(Self.duration(of: plan.steps[done...])) left")
    }

    private func write(_ line: String) {
        var output = StandardOutput()
        output.line(SafeText.printable(line))
    }

    private static func duration(of steps: ArraySlice<BackfillPlan.Step>) -> String {
        let duration = steps.dropFirst().reduce(.zero) { $0 + $1.source.pause }
        return duration < .seconds(1) ? "a second" : Duration.seconds(duration.components.seconds).unitsText
    }

    private static func count(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
}
