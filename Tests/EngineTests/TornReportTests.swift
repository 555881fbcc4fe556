import Foundation
import Markets
import Testing

@testable import Engine

/// A provider that ranks its markets anew at each answer. Each market has a 24 h change of its own that never changes, and
/// prices that say whose they are and from which answer. An alert flips at every poll, and what became of its messages
/// comes at any moment.
@Suite struct TornReportTests {
    private static let watched = 20
    private static let known = 30

    @Test("a report shows of each market what is its own, whatever comes in which order", arguments: 1...3)
    func whole(seed: UInt64) {
        var dice = Dice(state: seed)
        var provider = Provider(dice: Dice(state: seed &* 31))
        var settings = Settings.test(
            ["m0"], top: Self.watched, own: [("stocks", ["s1", "s2"])],
            rules: [levelRule("flip", above: "5000.5", on: "m0")],
            channels: (0..<4).map { Routing.Channel(name: "hook\($0)") }, heartbeat: .minutes(1))
        settings.sources[1].limit = .minutes(1)
        var scene = EngineScene(settings)
        scene.outcome = { _, _ in .hangs }
        var checker = Checker()
        var unanswered: [PollRequest] = []
        for _ in 0..<800 {
            let before = (scene.statuses.count, scene.requests.count)
            switch dice.below(8) {
            case 0, 1: scene.step(.seconds(dice.below(40)))
            case 2:
                scene.work()
                if let request = scene.hanging.randomElement(&dice) {
                    scene.end(request, dice.below(2) == 0 ? .delivered : .refused(cause: "404"))
                }
            case 3: scene.take(.heartbeat(fault: nil))
            case 4: scene.take(.woke)
            case 5: scene.silence([])
            default:
                guard !unanswered.isEmpty else { continue }
                let request = unanswered.remove(at: dice.below(unanswered.count))
                scene.take(.answered(request.source, provider.answer(request, scene.now)))
            }
            unanswered += scene.requests[before.1...]
            for status in scene.statuses[before.0...] + [scene.status] { checker.look(at: status) }
        }
        #expect(checker.faults == [])
        #expect(provider.answers > 20 && scene.delivered.count > 20 && checker.newest > 20)
        #expect(scene.log("notify.dropped").count > 20)
    }

    /// Of `m17` 17 hundredths of a percent.
    private static func change(of market: MarketID) -> Percent { Percent(hundredths: number(of: market)) }

    private static func number(of market: MarketID) -> Int64 { Int64(market.text.dropFirst()) ?? -1 }

    private struct Provider {
        var dice: Dice
        private(set) var answers = 0

        mutating func answer(_ request: PollRequest, _ now: Moment) -> PollResult {
            var answer = Answer(fetchedAt: now.wall)
            if request.source == .shared {
                answers += 1
                var markets = Array(1..<TornReportTests.known)
                for place in markets.indices { markets.swapAt(place, dice.below(markets.count)) }
                answer.ranking = markets.prefix(request.watch.top).map { market("m\($0)") }
            }
            for market in request.watch.entries.map(\.market) + answer.ranking {
                let number = TornReportTests.number(of: market)
                // The whole part says whose price it is, the decimals from which answer; `m0` flips.
                let whole = number == 0 ? 5000 + Int64(answers % 2) : number * 1000
                let decimals = String(format: "%06d", answers)
                answer.quotes.append(
                    Quote(
                        market: market, symbol: market.text, name: "", currency: request.watch.currency,
                        price: price("\(whole).\(decimals)"), quotedAt: now.wall,
                        reportedChange: TornReportTests.change(of: market)))
            }
            return PollResult(feed: request.feed, .answered(answer))
        }
    }

    private struct Checker {
        private(set) var faults: [String] = []
        private(set) var newest = 0
        private var lastPoll: Date?
        private var hasStarted = false

        mutating func look(at report: StatusReport) {
            let fresh = report.markets.filter { $0.state == .fresh }
            for market in fresh where market.change != TornReportTests.change(of: market.market) {
                faults.append("\(market.market) has the change \(market.change as Any)")
            }
            var answers: Set<Int> = []
            for market in fresh where market.market.text.hasPrefix("m") && market.market.text != "m0" {
                guard let parts = market.price?.description.split(separator: "."),
                    Int64(parts[0]) == TornReportTests.number(of: market.market) * 1000
                else {
                    faults.append("\(market.market) has the price \(market.price as Any)")
                    continue
                }
                let decimals = parts.count > 1 ? String(parts[1]) : ""
                answers.insert(Int(decimals + String(repeating: "0", count: 6 - decimals.count)) ?? -1)
            }
            if answers.count > 1 { faults.append("prices of the answers \(answers.sorted())") }
            if let answer = answers.min() {
                if answer < newest { faults.append("answer \(answer) after answer \(newest)") }
                newest = max(newest, answer)
            }
            let listed = Set(fresh.map(\.market))
            for move in report.summary.gainers + report.summary.losers {
                if move.change != TornReportTests.change(of: move.market) || !listed.contains(move.market) {
                    faults.append("the summary says \(move)")
                }
            }
            let counted = report.summary.up + report.summary.down + report.summary.flat
            if counted != fresh.count { faults.append("\(counted) of \(fresh.count) fresh markets are counted") }
            if let last = lastPoll, report.lastPoll.map({ $0.at < last }) ?? true {
                faults.append("last poll \(report.lastPoll as Any) after one at \(last)")
            }
            lastPoll = report.lastPoll?.at ?? lastPoll
            if hasStarted, report.state == .starting { faults.append("starting once more") }
            hasStarted = hasStarted || report.state != .starting
        }
    }
}

extension Array {
    fileprivate func randomElement(_ dice: inout Dice) -> Element? { isEmpty ? nil : self[dice.below(count)] }
}
