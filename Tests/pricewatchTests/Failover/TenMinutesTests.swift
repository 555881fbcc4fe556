import Engine
import Feeds
import Foundation
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// The whole daemon with two servers, the preferred one ill for ten minutes and then well again.
@Suite struct TenMinutesTests {
    @Test(
        "however it fails: no poll without a price, the switch and the return are logged once",
        arguments: FailingWay.all)
    func everyWay(_ way: FailingWay) async throws {
        let health = FailoverScene.Health(ill: way.illness)
        try await tenMinutes(health, kind: way.kind, after: way.fromTheStart ? 0 : 2)
    }

    @Test("also where the preferred one speaks another language", arguments: ForeignWay.all)
    func otherProviders(_ way: ForeignWay) async throws {
        try await tenMinutes(way.health, kind: way.kind, after: 2)
    }

    /// - Parameter good: polls before it fails.
    private func tenMinutes(_ health: FailoverScene.Health, kind: FeedError.Kind, after good: Int) async throws {
        let failover = try await FailoverScene(health)
        let ill = good..<(good + 10)
        try await failover.poll(ill.upperBound, isIll: ill.contains)
        #expect(failover.served == String(repeating: "1", count: good) + String(repeating: "2", count: 10))
        #expect(try failover.status().state == .degraded)
        #expect(try failover.status().reasons.map(\.code).contains("standby"))
        // It cools down for longer each time: a good guest at one who fails, too.
        #expect(failover.asked <= good + 4)
        // One that refused us is left alone for longer than the others; nobody for more than an hour or so.
        while failover.lines("feed.restored").isEmpty, failover.polls.count < 100 { try await failover.poll(1) }
        try await failover.poll(2)

        #expect(failover.polls.allSatisfy { $0.outcome == .ok }, "\(failover.lines("poll.failed"))")
        #expect(failover.lines("poll.failed").isEmpty)
        #expect(failover.lines("poll.ok").count == failover.polls.count)
        let switched = failover.lines("feed.switched")
        #expect(switched.count == 1)
        #expect(switched.first?.contains(" feed=spare from=first kind=\(kind.rawValue) ") == true, "\(switched)")
        let restored = failover.lines("feed.restored")
        #expect(restored.count == 1)
        #expect(restored.first?.contains(" feed=first from=spare") == true, "\(restored)")
        #expect(failover.served.wholeMatch(of: /1*2+1{3}/) != nil, "\(failover.served)")
        #expect(try failover.recorded() == failover.served)
        #expect(try failover.status().state == .ok)
        await failover.finish()
    }

    @Test(
        "one that fails every other poll, or every other request, does not come back until it stops",
        arguments: [Fault.status(500), .hang, .reset, .badJSON], [true, false])
    func noFlapping(_ fault: Fault, byRequest: Bool) async throws {
        let failover = try await FailoverScene(.init(ill: .faults(byRequest ? [.ok, fault] : [fault])))
        try await failover.poll(60) { byRequest || $0 % 2 == 1 }
        #expect(failover.served.wholeMatch(of: /1{1,2}2+/) != nil, "\(failover.served)")
        #expect(failover.lines("feed.switched").count == 1 && failover.lines("feed.restored").isEmpty)
        try await failover.poll(40)
        #expect(failover.lines("feed.switched").count == 1 && failover.lines("feed.restored").count == 1)
        #expect(failover.served.wholeMatch(of: /1{1,2}2+1+/) != nil, "\(failover.served)")
        #expect(failover.polls.allSatisfy { $0.outcome == .ok })
        #expect(try failover.recorded() == failover.served)
        await failover.finish()
    }

    @Test("a standby ranks nothing: it is asked by name for the markets of the last ranking")
    func ranking() async throws {
        let failover = try await FailoverScene(.init(ill: .faults([.status(500)])), watch: "{top: 5}")
        try await failover.poll(1)
        #expect(failover.spareTargets.isEmpty)
        try await failover.poll(1) { _ in true }
        #expect(failover.spareTargets.count == 1)
        #expect(failover.spareTargets.first?.contains("ids=bitcoin,") == true)
        let status = try failover.status()
        #expect(status.markets.map(\.state) == Array(repeating: .fresh, count: 5))
        #expect(failover.scene.statusText.components(separatedBy: #""feed":"spare","quoted_at""#).count == 6)
        await failover.finish()
    }
}
