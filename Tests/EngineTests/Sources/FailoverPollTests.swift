import Foundation
import Markets
import Testing

@testable import Engine

/// A preferred feed and its standby.
@Suite("Failover in polls")
struct FailoverPollTests {
    /// A fault of the simulated provider, as a feed reports it.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: PollError.Kind
        var requests: Int

        init(_ name: String, _ kind: PollError.Kind, requests: Int = 2) {
            (testDescription, self.kind, self.requests) = (name, kind, requests)
        }

        /// The provider refuses us: the feed is left alone for hours.
        var isBlock: Bool { [.unauthorized, .forbidden, .blocked].contains(kind) }

        var reply: EngineScene.Reply {
            if isBlock { return refuses(kind, for: .hours(6), isBlock: true) }
            return kind == .rateLimited ? refuses(for: .minutes(1)) : fails(kind, requests: requests)
        }
    }

    /// Those of `FaultTests` in FeedsTests.
    static let cases: [Case] = [
        Case("reset", .transport), Case("hang", .timeout), Case("a byte now and then", .timeout),
        Case("truncated", .transport), Case("half a document", .decode), Case("web page", .blocked, requests: 1),
        Case("error inside 200", .rateLimited, requests: 1), Case("1 GiB, announced", .tooLarge, requests: 1),
        Case("1 GiB, unannounced", .tooLarge, requests: 1), Case("gzip bomb", .tooLarge, requests: 1),
        Case("damaged gzip", .transport), Case("redirect loop", .badStatus, requests: 1),
        Case("wrong content type", .contentType, requests: 1), Case("nothing at all", .decode),
        Case("400", .badRequest, requests: 1), Case("401", .unauthorized, requests: 1),
        Case("403", .forbidden, requests: 1), Case("404", .notFound, requests: 1),
        Case("422", .badRequest, requests: 1), Case("429", .rateLimited, requests: 1), Case("500", .server),
        Case("501", .server), Case("502", .server), Case("503", .server), Case("504", .server), Case("520", .server),
    ]

    /// Twelve minutes with a poll each; the preferred feed is ill in some of them.
    private func minutes(_ fault: Case, isIll: @escaping @Sendable (Int) -> Bool) -> EngineScene {
        let begun = moment()
        let healthy = gives { $0.text == "bitcoin" ? "100" : "10" }
        var blockedUntil: Date?
        var scene = EngineScene(
            .test(["bitcoin", "ethereum"], feeds: ["first", "second"]), feeds: ["second": [healthy]])
        for minute in 0..<12 {
            let isBlocked = blockedUntil.map { $0 > scene.now.wall } ?? false
            if let blockedUntil, isBlocked {
                scene.replies["first"] = [waits(until: blockedUntil, isBlock: fault.isBlock)]
            } else if isIll(minute) {
                scene.replies["first"] = [fault.reply]
                if fault.isBlock { blockedUntil = begun + .minutes(minute) + .hours(6) }
            } else {
                scene.replies["first"] = [healthy]
            }
            scene.poll()
        }
        return scene
    }

    /// The first letters of the feeds that served, poll by poll.
    private func feeds(_ scene: EngineScene) -> String {
        scene.commits.flatMap(\.polls).map { $0.feed == "first" ? "1" : "2" }.joined()
    }

    @Test("an ill feed costs no poll its price; the switch and the return are logged once each", arguments: cases)
    func everyFault(_ fault: Case) {
        let scene = minutes(fault) { (2...4).contains($0) }
        let polls = scene.commits.flatMap(\.polls)
        #expect(polls.count == 12)
        #expect(polls.allSatisfy { $0.samples.count == 2 && $0.outcome == .ok })
        #expect(scene.statuses.allSatisfy { $0.lastPoll?.markets ?? 2 == 2 })
        let changes = scene.events.filter { $0 == "feed.switched" || $0 == "feed.restored" }
        #expect(changes == (fault.isBlock ? ["feed.switched"] : ["feed.switched", "feed.restored"]))
        let words = scene.log("feed.switched")
        #expect(words.first?.hasPrefix(" feed=second from=first kind=\(fault.kind.rawValue) ") == true, "\(words)")
        #expect(feeds(scene) == (fault.isBlock ? "112222222222" : "112222211111"))
        #expect(scene.log("poll.failed").isEmpty)
    }

    @Test("a feed that fails every other poll is left, and does not come back")
    func everyOtherPoll() {
        let scene = minutes(Case("500", .server)) { $0 % 2 == 1 }
        #expect(scene.commits.flatMap(\.polls).allSatisfy { $0.samples.count == 2 })
        #expect(scene.log("feed.switched").count == 1 && scene.log("feed.restored").isEmpty)
        #expect(feeds(scene) == "1" + String(repeating: "2", count: 11))
    }

    // MARK: Whom a poll asks, and for how long

    @Test("where the preferred feed fails, the next is asked by name for the markets of the last ranking")
    func theLastRankingIsAskedByName() {
        let markets = ["bitcoin", "unheard-of", "pepe"]
        var settings = Settings.test([], top: 3, feeds: ["a", "b"])
        settings.sources[0].members[1].names = .known([market("bitcoin"): "its-bitcoin", market("pepe"): "its-pepe"])
        var scene = EngineScene(
            settings, feeds: ["a": [gives(ranking: markets) { _ in "1" }, fails()], "b": [gives("2")]])
        scene.poll(2)
        #expect(scene.requests.map(\.feed) == ["a", "a", "b"])
        #expect(scene.requests.map(\.watch.top) == [3, 3, 0])
        #expect(scene.requests.last?.watch.entries.map(\.providerID) == ["its-bitcoin", "its-pepe"])
        let poll = scene.commits.flatMap(\.polls).last
        #expect(poll?.feed == "b" && poll?.samples.map(\.market.text) == ["bitcoin", "pepe"])
        #expect(poll?.ranking == nil && poll?.watched?.all.map(\.text) == markets)
        #expect(scene.engine.board[market("unheard-of")]?.reason == .noMapping)
    }

    @Test("a standby that serves before there is a ranking is asked for its own")
    func noRankingYet() {
        var scene = EngineScene(
            .test([], top: 2, feeds: ["a", "b"]),
            feeds: ["a": [fails()], "b": [gives(ranking: ["x", "y", "z"]) { _ in "1" }]])
        scene.wake()
        #expect(scene.requests.map(\.watch.top) == [2, 2])
        #expect(scene.engine.board.markets.map(\.text) == ["x", "y"])
    }

    @Test("a probe is asked after the feed that serves, once in a poll, and takes what is left of the time")
    func aProbeThatHangsIsNotRepeated() {
        var scene = EngineScene(.test(feeds: ["a", "b"]))
        func answer(_ reply: EngineScene.Reply, after seconds: Int) {
            guard let request = scene.requests.last else { return }
            scene.step(.seconds(seconds))
            scene.take(.answered(request.source, reply(request, scene.now)))
        }
        scene.take(.woke)
        #expect(scene.requests.map(\.feed) == ["a"])
        // One that hangs leaves time for the other.
        #expect(scene.requests.last?.limit == .seconds(24))
        answer(fails(.timeout, requests: 3), after: 15)
        #expect(scene.requests.map(\.feed) == ["a", "b"] && scene.requests.last?.limit == .seconds(33))
        answer(gives("1"), after: 0)
        #expect(!scene.engine.isPolling && scene.status.lastPoll?.feed == "b")
        #expect(scene.requests.map(\.isProbe) == [false, false])

        scene.step(.seconds(60))
        scene.take(.woke)
        #expect(scene.requests.map(\.feed) == ["a", "b", "b"] && scene.engine.isPolling)
        answer(gives("1"), after: 0)
        #expect(scene.requests.map(\.feed) == ["a", "b", "b", "a"])
        #expect(scene.requests.last?.isProbe == true && scene.requests.last?.limit == .seconds(48))
        answer(fails(.timeout), after: 5)
        #expect(scene.requests.count == 4 && !scene.engine.isPolling)
        #expect(scene.status.lastPoll?.feed == "b" && scene.status.lastPoll?.tookMilliseconds == 5000)
    }

    @Test("a poll that has used up its time asks no other feed")
    func noTimeLeft() {
        var scene = EngineScene(.test(feeds: ["a", "b"]))
        scene.take(.woke)
        scene.step(.seconds(48))
        scene.take(.answered(.shared, fails(.timeout)(scene.requests[0], scene.now)))
        #expect(scene.requests.count == 1 && !scene.engine.isPolling)
        #expect(scene.log("poll.failed").first?.contains(" feed=a kind=timeout ") == true)
    }

    @Test("where all fail, the preferred one says why; while it is not asked, the other does")
    func whereAllFailThePreferredOneSaysWhy() {
        var scene = EngineScene(
            .test(feeds: ["a", "b"]),
            feeds: [
                "a": [refuses(.unauthorized, for: .hours(6), isBlock: true), waits(until: moment() + .hours(6))],
                "b": [fails(.server)],
            ])
        scene.poll()
        #expect(scene.status.lastPoll?.feed == "a" && scene.status.lastPoll?.error?.kind == .unauthorized)
        #expect(scene.status.lastPoll?.attempts == 2)
        #expect(scene.log("feed.switched").isEmpty)
        scene.poll()
        #expect(scene.status.lastPoll?.error?.kind == .server)
        #expect(scene.commits.flatMap(\.polls).map(\.error) == ["unauthorized", "server"])
    }

    @Test("where no feed has a name for any market, none is asked, and that is the answer")
    func whereNobodyHasANameNobodyIsAsked() {
        var settings = Settings.test()
        settings.sources[0].members[0].watch = Watch([MarketID](), currency: usd())
        settings.sources[0].members[0].unmapped = [market("bitcoin")]
        var scene = EngineScene(settings)
        scene.wake()
        #expect(scene.requests.isEmpty && !scene.engine.isPolling)
        #expect(scene.engine.board[market("bitcoin")]?.lastAnswer == .missing(.noMapping))
        #expect(scene.status.lastPoll?.attempts == 0 && scene.status.lastPoll?.outcome == .failed)
        #expect(scene.status.lastPoll?.error?.kind == .empty)
    }

    @Test("a market that only the preferred feed names has no price while another one serves")
    func unmappedAtTheStandby() {
        var settings = Settings.test(["bitcoin", "rare"], feeds: ["a", "b"])
        settings.sources[0].members[1].watch = Watch([market("bitcoin")], currency: usd())
        settings.sources[0].members[1].unmapped = [market("rare")]
        var scene = EngineScene(settings, feeds: ["a": [gives("1"), fails()], "b": [gives("2")]])
        scene.poll(2)
        #expect(scene.requests.map { $0.watch.entries.map(\.market.text) }.last == ["bitcoin"])
        #expect(scene.engine.board[market("rare")]?.lastAnswer == .missing(.noMapping))
        #expect(scene.status.reasons.map(\.code) == ["standby", "market_missing"])
    }
}
