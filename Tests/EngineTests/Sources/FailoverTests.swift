import Foundation
import Markets
import Testing

@testable import Engine

/// Steps through polls of two feeds; a letter is what the preferred one does: `o` answers, `x` fails.
private func served(_ preferred: String, standby: (Int) -> Bool = { _ in true }) -> (feeds: String, changes: [Int]) {
    var failover = Failover(feeds: 2, every: .minutes(1))
    var now = Date(timeIntervalSince1970: 1_763_719_200)
    var feeds = ""
    var changes: [Int] = []
    for (poll, letter) in preferred.enumerated() {
        let plan = failover.plan(at: now)
        var answered: [Int] = []
        func ask(_ feed: Int) {
            let isGood = feed == 0 ? letter == "o" : standby(poll)
            failover.note(isGood ? .good : .failed, of: feed, at: now)
            if isGood { answered.append(feed) }
        }
        var asked: Set<Int> = []
        for feed in plan.candidates where answered.isEmpty {
            asked.insert(feed)
            ask(feed)
        }
        for feed in plan.probes where !asked.contains(feed) { ask(feed) }
        let before = failover.serving
        failover.settle(answered: answered)
        if failover.serving != before { changes.append(poll) }
        feeds += answered.contains(failover.serving) ? "\(failover.serving)" : "-"
        now = now + .minutes(1)
    }
    return (feeds, changes)
}

@Suite("Failover")
struct FailoverTests {
    @Test(arguments: [
        ("ooooo", "00000"), ("oxooooooo", "011100000"),
        // Every other poll: one switch, no return.
        ("oxoxoxoxoxoxoxoxoxox", "01111111111111111111"),
        // Two good ones are not enough.
        ("ooxooxooxooxoox", "001111111111111"),
        // The cooling doubles: probed in the 2nd, 4th and 8th minute, and back in the 10th.
        ("oxxxxxxxoooooooo", "0111111111000000"),
    ])
    func whoServes(_ preferred: String, _ feeds: String) {
        #expect(served(preferred).feeds == feeds)
    }

    @Test func aPriceFromWhoeverHasOne() {
        // The standby fails where the preferred one, which cools, answers again.
        let (feeds, _) = served("oxoooo", standby: { $0 == 1 })
        #expect(feeds == "010000")
        #expect(served("oxx", standby: { _ in false }).feeds == "0--")
    }

    @Test func oneFeedIsAlwaysAsked() {
        var failover = Failover(feeds: 1, every: .seconds(1))
        let now = Date(timeIntervalSince1970: 0)
        for _ in 0..<5 {
            failover.note(.failed, of: 0, at: now)
            failover.settle(answered: [])
            #expect(failover.serving == 0)
            #expect(failover.plan(at: now) == Failover.Plan(candidates: [0], probes: []))
        }
    }

    @Test func aFeedThatWaitsIsNotProbedBefore() {
        var failover = Failover(feeds: 3, every: .minutes(1))
        let now = Date(timeIntervalSince1970: 1_763_719_200)
        failover.note(.waiting(until: now + .hours(2)), of: 0, at: now)
        failover.note(.failed, of: 1, at: now)
        failover.note(.good, of: 2, at: now)
        failover.settle(answered: [2])
        #expect(failover.serving == 2)
        #expect(failover.plan(at: now + .seconds(59)) == Failover.Plan(candidates: [2, 0, 1], probes: []))
        #expect(failover.plan(at: now + .minutes(1)) == Failover.Plan(candidates: [2, 1, 0], probes: [1]))
        #expect(failover.plan(at: now + .hours(2)).probes == [0, 1])
    }
}
