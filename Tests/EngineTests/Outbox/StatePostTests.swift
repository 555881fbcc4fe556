import Foundation
import Markets
import Testing

@testable import Engine

/// The state of alerts, posted to a channel at every cycle.
@Suite struct StatePostTests {
    private static func cluster(shared: Bool = false) -> Routing.Channel {
        var channel = Routing.Channel(name: "cluster", address: "c")
        channel.takes = .states(isShared: shared)
        return channel
    }

    private static let down = StateAnswers.Outcome.failed(cause: "no connection")

    private func scene(
        _ prices: [String], shared: Bool = false, others: [Routing.Channel] = [],
        rules: [AlertRule] = [levelRule()], answers: [[StateAnswers.Outcome]] = []
    ) -> EngineScene {
        var scene = EngineScene(
            .test(rules: rules, channels: [Self.cluster(shared: shared)] + others),
            feeds: ["a": prices.map { gives($0) }])
        scene.answers = answers
        return scene
    }

    private func faults(_ scene: EngineScene) -> [String] {
        scene.status.reasons.filter { $0.code == "notify_failing" }.map(\.message)
    }

    @Test("what fires is posted at every cycle, also at one that asks nothing, and ends after four intervals")
    func firing() {
        var scene = scene(["9.5", "10.5"])
        scene.replies["a"]?.append(waits(until: moment() + .hours(5)))
        scene.poll(5)
        #expect(scene.requests.count == 5 && scene.log("poll.ok").count == 2)
        #expect(scene.posts.map { $0.firing.map(\.rule) } == [[], ["high"], ["high"], ["high"], ["high"]])
        #expect(scene.posts.map(\.endsAt) == [240, 300, 360, 420, 480].map { moment($0) })
        #expect(scene.posts.allSatisfy { $0.channel == "cluster" && $0.resolved.isEmpty })
        #expect(Set(scene.posts.flatMap(\.firing).map(\.firingSince)) == [moment(60)])
        #expect(scene.attempts.isEmpty, "no message besides")
    }

    @Test("at short intervals it does not end while a poll or a post may hang")
    func shortIntervals() {
        var settings = Settings.test(every: .seconds(1), rules: [levelRule()], channels: [Self.cluster()])
        settings.deadline = .seconds(20)
        var scene = EngineScene(settings, feeds: ["a": [gives("10.5")]])
        scene.poll()
        #expect(scene.posts.map(\.limit) == [.seconds(2)])
        #expect(scene.posts.map(\.endsAt) == [moment(1 + 20 + 2)])
    }

    @Test("a resolve is posted for 15 minutes, with its own time as the end, also after a restart")
    func resolved() {
        var scene = scene(["10.5", "9.5"])
        scene.poll(3)
        scene.restart()
        scene.poll(20)
        let posts = scene.posts
        #expect(posts.count == 23)
        #expect(posts.prefix(1).map(\.firing.count) == [1] && posts.dropFirst().allSatisfy { $0.firing.isEmpty })
        #expect(posts.map(\.resolved.count) == [0] + Array(repeating: 1, count: 15) + Array(repeating: 0, count: 7))
        #expect(Set(posts.flatMap(\.resolved).map(\.at)) == [moment(60)])
        #expect(Set(posts.flatMap(\.resolved).map(\.firingSince)) == [moment()])
    }

    @Test("an alert that fires again is not resolved any more")
    func firesAgain() {
        var scene = scene(["10.5", "9.5", "10.5"])
        scene.poll(3)
        #expect(scene.posts.map { [$0.firing.count, $0.resolved.count] } == [[1, 0], [0, 1], [1, 0]])
    }

    @Test("where another posts the same alerts, a resolve is silence")
    func shared() {
        var scene = scene(["10.5", "9.5"], shared: true)
        scene.poll(5)
        #expect(scene.posts.map { $0.firing.count } == [1, 0, 0, 0, 0])
        #expect(scene.posts.allSatisfy { $0.resolved.isEmpty })
        #expect(scene.memory.messages.isEmpty && scene.attempts.isEmpty)
    }

    @Test("only the rules that name the channel are posted there, and messages go to the others alone")
    func routing() {
        let rules = [
            levelRule("here", notify: ["cluster"]), levelRule("there", notify: ["ops"]), levelRule("all"),
        ]
        var scene = scene(["10.5", "9.5"], others: [Routing.Channel(name: "ops")], rules: rules)
        scene.poll(2)
        #expect(scene.posts.map { $0.firing.map(\.rule) } == [["all", "here"], []])
        #expect(scene.posts.map { $0.resolved.map(\.rule) } == [[], ["all", "here"]])
        #expect(
            scene.delivered.map(\.words).sorted() == [
                "all firing", "all resolved", "there firing", "there resolved",
            ])
        #expect(scene.delivered.allSatisfy { $0.message.channel == "ops" })
    }

    @Test("a gap and a digest are no state")
    func notes() {
        var scene = scene(["10.5"])
        scene.poll()
        scene.step(.hours(2))
        scene.poll()
        #expect(scene.memory.messages.isEmpty && scene.attempts.isEmpty)
        #expect(scene.posts.map(\.firing.count) == [1, 1])
    }

    @Test("what a silence covers is not posted until it ends")
    func silence() {
        var scene = scene(["10.5"])
        scene.poll()
        scene.silence([
            Silence(id: 1, rule: "high", market: nil, since: scene.now.wall, until: scene.now.wall + .seconds(90))
        ])
        scene.poll(3)
        #expect(scene.posts.map(\.firing.count) == [1, 0, 0, 1])
    }

    @Test("what a silence covered to its end was not missed")
    func silenced() {
        var scene = scene(["10.5", "9.5"], answers: [[Self.down], [Self.down]])
        scene.silence([Silence(id: 1, rule: nil, market: nil, since: moment(), until: moment(3600))])
        scene.poll(3)
        #expect(scene.attempts.isEmpty && scene.posts.allSatisfy { $0.firing.isEmpty && $0.resolved.isEmpty })
    }
}

// MARK: Addresses that fail

extension StatePostTests {
    @Test("an address that fails shows in the status, and in the log at its 1st, 2nd, 4th and 8th failure")
    func fails() {
        var scene = scene(["10.5"], answers: Array(repeating: [.taken, Self.down], count: 9) + [[.taken, .taken]])
        scene.poll()
        #expect(faults(scene) == ["cluster does not deliver: no connection"])
        #expect(scene.statuses.last?.reasons.map(\.code) == ["notify_failing"], "and is published")
        scene.poll(8)
        let failures = scene.log("notify.failed")
        #expect(failures.compactMap { $0.firstMatch(of: /count=(\d+)/)?.1 } == ["1", "2", "4", "8"])
        #expect(failures.first == " channel=cluster address=am-2:9093 count=1 message=\"no connection\"")
        scene.poll()
        #expect(faults(scene) == [])
        #expect(scene.log("notify.sent") == [" channel=cluster address=am-2:9093 after_failures=9"])
    }

    @Test("an address that finds some alerts invalid has the others")
    func refused() {
        var scene = scene(["10.5", "9.5"], answers: [[.refused(cause: "400 Bad Request")]])
        scene.poll()
        #expect(faults(scene) == ["cluster does not deliver: 400 Bad Request"])
        #expect(scene.memory.notified.values.map(\.self) == [["cluster"]])
        scene.poll()
        #expect(scene.attempts.isEmpty && scene.posts.last?.resolved.count == 1)
    }

    @Test("while a post hangs, polls go on and no other is started; then the newest state follows at once")
    func hangs() {
        var scene = scene(["9.5", "9.5", "10.5"])
        scene.postsHang = true
        scene.poll(4)
        #expect(scene.requests.count == 4 && scene.posts.map(\.firing.count) == [0])
        scene.postsHang = false
        scene.work()
        #expect(scene.posts.map(\.firing.count) == [0, 1])
        scene.work()
        #expect(scene.posts.count == 2, "and nothing more before the next cycle")
    }

    @Test("a daemon that is stopped posts nothing more, and waits only so long for the running post")
    func stop() {
        var scene = scene(["10.5"])
        scene.postsHang = true
        scene.poll(2)
        scene.take(.stop)
        #expect(!scene.isOver)
        scene.postsHang = false
        scene.work()
        #expect(scene.isOver && scene.posts.count == 1)
        #expect(scene.memory.notified.values.map(\.self) == [["cluster"]])
    }

    @Test("a reload ends the posts to a channel that is gone, and begins those to one that is new")
    func reload() {
        var scene = scene(["10.5"], answers: [[Self.down]])
        let (with, without) = (scene.settings, Settings.test(rules: [levelRule()], channels: []))
        scene.poll()
        scene.reload(without)
        #expect(faults(scene) == [])
        scene.poll(2)
        #expect(scene.posts.count == 1)
        scene.reload(with)
        scene.poll()
        #expect(scene.posts.map(\.firing.count) == [1, 1] && faults(scene) == [])
    }
}

// MARK: Missed alerts

extension StatePostTests {
    /// What was sent beside the states.
    private func missed(_ scene: EngineScene) -> [String] { scene.delivered.map(\.words) }

    @Test("an alert that fired and ended while no address could be reached is sent once", arguments: [false, true])
    func missed(shared: Bool) {
        var scene = scene(["10.5", "10.5", "9.5"], shared: shared, answers: Array(repeating: [Self.down], count: 4))
        scene.outcomes["cluster"] = [.fails, .fails]
        scene.poll(4)
        #expect(scene.memory.messages.count == 1 && scene.delivered.isEmpty)
        scene.poll(20)
        #expect(missed(scene) == ["high resolved"])
        #expect(scene.delivered.first?.contents.events.first?.firingSince == moment())
        #expect(scene.posts.allSatisfy { $0.resolved.isEmpty }, "which would end it before its group is notified")
        #expect(scene.status.outbox.queued == 0)
    }

    @Test("also if the daemon is killed meanwhile; where another posts the same alerts, that one may have reached one")
    func killed() {
        for (shared, sent) in [(false, ["high resolved"]), (true, [])] {
            var scene = scene(["10.5", "9.5"], shared: shared, answers: [[Self.down]])
            scene.poll()
            scene.restart()
            scene.poll(3)
            #expect(missed(scene) == sent)
        }
    }

    @Test("an alert that one address had is not missed, also if the daemon is killed", arguments: [false, true])
    func reached(shared: Bool) {
        var scene = scene(
            ["10.5", "10.5", "9.5"], shared: shared, answers: [[Self.down, .taken], [Self.down], [Self.down]])
        scene.poll()
        #expect(scene.memory.notified.values.map(\.self) == [["cluster"]])
        scene.restart()
        scene.poll(5)
        #expect(missed(scene).isEmpty && scene.memory.messages.isEmpty)
        #expect(scene.posts.last?.resolved.count == (shared ? 0 : 1))
    }

    @Test("an alert that ends while its post hangs is missed only if that post fails", arguments: [false, true])
    func endsMeanwhile(isTaken: Bool) {
        var scene = scene(["10.5", "9.5"], answers: [isTaken ? [.taken] : [Self.down]])
        scene.postsHang = true
        scene.poll(2)
        #expect(scene.memory.messages.count == 1 && scene.attempts.isEmpty, "the message waits for the post")
        scene.postsHang = false
        scene.work()
        #expect(missed(scene) == (isTaken ? [] : ["high resolved"]))
        #expect(scene.memory.messages.isEmpty)
        #expect(scene.posts.last?.resolved.count == (isTaken ? 1 : 0))
    }

    @Test("an alert that never came to be posted because an older post hung is missed")
    func neverPosted() {
        var scene = scene(["9.5", "10.5", "9.5"])
        scene.postsHang = true
        scene.poll(3)
        scene.postsHang = false
        scene.work()
        #expect(missed(scene) == ["high resolved"])
    }

    @Test("one that fires again is sent as firing alone")
    func firesAgainFirst() {
        var scene = scene(["10.5", "9.5", "10.5"], answers: Array(repeating: [Self.down], count: 2))
        scene.outcomes["cluster"] = [.fails, .fails]
        scene.poll(3)
        #expect(scene.delivered.isEmpty && scene.memory.messages.isEmpty)
        #expect(scene.posts.last?.firing.count == 1)
    }

    @Test("the next firing is missed like the first")
    func nextFiring() {
        var scene = scene(
            ["10.5", "9.5", "10.5", "9.5"], answers: [[.taken], [.taken], [Self.down], [Self.down]])
        scene.poll(6)
        #expect(missed(scene) == ["high resolved"])
        #expect(scene.delivered.first?.contents.events.first?.firingSince == moment(120))
    }

    @Test("a rule that was removed is not sent afterwards")
    func removed() {
        var scene = scene(["10.5"], answers: [[Self.down], [Self.down]])
        scene.poll()
        scene.reload(.test(channels: [Self.cluster()]))
        scene.poll(3)
        #expect(scene.attempts.isEmpty && scene.memory.messages.isEmpty)
    }
}
