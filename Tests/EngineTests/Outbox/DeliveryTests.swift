import Foundation
import Markets
import Testing

@testable import Engine

/// Cycles with channels that fail as they are told, and time stepped by hand.
@Suite struct DeliveryTests {
    private func scene(
        _ prices: [String], rules: [AlertRule] = [levelRule()], channel: Routing.Channel = Routing.Channel(name: "ops"),
        outcomes: [EngineScene.Outcome] = []
    ) -> EngineScene {
        var scene = EngineScene(.test(rules: rules, channels: [channel]), feeds: ["a": prices.map { gives($0) }])
        scene.outcomes["ops"] = outcomes
        return scene
    }

    private func faults(_ scene: EngineScene) -> [String] {
        scene.status.reasons.filter { $0.code == "notify_failing" }.map(\.message)
    }

    @Test("a rule that is taken out and put back is notified of again", arguments: [false, true])
    func returns(restarting: Bool) {
        var scene = scene(["10.5"])
        let (with, without) = (scene.settings, Settings.test())
        scene.poll()
        for settings in [without, without, with] {
            scene.reload(settings)
            if restarting, settings.rules.isEmpty { scene.restart() }
            scene.poll()
        }
        #expect(scene.delivered.map(\.words) == ["high firing", "high resolved", "high firing"])
    }

    @Test("what happens is sent at once, is gone from the outbox, and stands in the log")
    func sends() throws {
        var scene = scene(["9.5", "10.5", "9.5"])
        scene.poll(3)
        #expect(scene.delivered.map(\.words) == ["high firing", "high resolved"])
        #expect(scene.delivered.map(\.at) == [moment(60), moment(120)])
        #expect(scene.memory.messages.isEmpty && scene.status.outbox == OutboxSize(queued: 0, oldest: nil))
        let id = try #require(scene.delivered.first).message.id
        let sent = scene.log("notify.sent")
        #expect(sent.count == 2)
        #expect(
            sent.first == " channel=ops id=\(id) rule=high market=bitcoin created_at=2026-11-21T10:01:00Z attempts=1 "
                + "took_ms=0 answer=ok")
    }

    @Test("what fails is tried again later, under the same id, and the alert's next message waits for it")
    func retries() {
        var scene = scene(
            ["10.5", "9.5", "9.5"], outcomes: [.fails, .fails(retryAfter: .minutes(10))])
        scene.poll(2)
        // The first was tried at 0:00 and 1:00; the second waits for it.
        #expect(scene.attempts.map(\.words) == ["high firing", "high firing"])
        #expect(scene.memory.messages.map(\.attempts) == [2, 0])
        scene.pass(.minutes(8))
        #expect(scene.attempts.count == 2)
        scene.pass(.minutes(1))
        #expect(scene.delivered.map(\.words) == ["high firing", "high resolved"])
        #expect(Set(scene.attempts.prefix(3).map(\.message.id)).count == 1)
        #expect(scene.memory.messages.isEmpty)
        #expect(scene.log("notify.failed").count == 2)
    }

    @Test("the engine asks to be woken when a delivery may be tried again")
    func refreshEvents() {
        var scene = scene(["10.5"], outcomes: Array(repeating: .fails, count: 3))
        scene.wake()
        scene.run(for: .seconds(30))
        #expect(scene.attempts.count == 4 && scene.delivered.count == 1)
        let pauses = zip(scene.attempts, scene.attempts.dropFirst()).map { $1.at.since($0.at) }
        for (pause, longest) in zip(pauses, [1, 2, 4]) {
            #expect(pause >= .seconds(longest) / 2 && pause <= .seconds(longest) + .milliseconds(1))
        }
    }

    @Test("failures are logged at the 1st, 2nd, 4th and 8th attempt, and show in the status until it delivers")
    func fails() {
        var scene = scene(["10.5"], outcomes: Array(repeating: .fails, count: 9))
        scene.poll()
        for _ in 1...8 { scene.pass(.minutes(6)) }
        #expect(scene.attempts.count == 9)
        #expect(
            scene.log("notify.failed").compactMap { $0.firstMatch(of: /attempts=(\d+)/)?.1 } == ["1", "2", "4", "8"])
        #expect(faults(scene) == ["ops does not deliver: it is down"])
        #expect(scene.status.outbox == OutboxSize(queued: 1, oldest: moment()))
        #expect(scene.statuses.last?.reasons.map(\.code) == ["notify_failing"], "and is published")
        scene.pass(.minutes(6))
        #expect(faults(scene) == [])
        #expect(scene.status.outbox.queued == 0 && scene.statuses.last?.outbox.queued == 0)
    }

    @Test("a clock that is set back makes nothing wait longer", arguments: [nil, Duration.minutes(3)])
    func clockSetBack(asked: Duration?) {
        var scene = scene(["10.5"], outcomes: [.fails(retryAfter: asked)])
        scene.poll()
        scene.set(by: .zero - .hours(5))
        scene.poll(4)
        #expect(scene.delivered.map(\.words) == ["high firing"])
    }

    @Test("a channel that was in trouble still is after a restart, until it delivers")
    func stillFails() {
        var scene = scene(["10.5"], outcomes: Array(repeating: .fails, count: 3))
        scene.poll()
        scene.pass(.seconds(1))
        scene.restart()
        #expect(faults(scene) == [], "two failures are not worth a word")
        scene.pass(.minutes(6))
        scene.restart()
        #expect(scene.attempts.count == 3)
        #expect(faults(scene) == ["ops does not deliver: it is down"])
        scene.pass(.minutes(6))
        #expect(scene.delivered.count == 1)
        #expect(faults(scene) == [])
    }

    @Test("a refusal is dropped loudly")
    func refused() {
        var scene = scene(["10.5", "10.5", "9.5"], outcomes: [.refuses])
        scene.poll(2)
        #expect(scene.memory.messages.isEmpty)
        let dropped = scene.log.filter { $0.event == "notify.dropped" }
        #expect(dropped.map(\.level) == [.error])
        #expect(scene.log("notify.dropped").first?.hasSuffix(" attempts=1 reason=refused message=404") == true)
        #expect(scene.status.reasons.map(\.code) == ["notify_failing"])
        scene.poll()
        #expect(scene.delivered.map(\.words) == ["high resolved"])
        #expect(scene.status.reasons.isEmpty)
    }

    @Test("a daemon that starts anew goes on where it stood, and not before it may")
    func restart() {
        var scene = scene(["10.5"], outcomes: [.fails(retryAfter: .hours(1)), .fails])
        scene.poll()
        scene.step(.minutes(58))
        scene.restart()
        scene.pass(.zero)
        #expect(scene.attempts.count == 1)
        scene.step(.minutes(1))
        scene.restart()
        scene.pass(.zero)
        #expect(scene.attempts.count == 2)
        scene.step(.minutes(1))
        scene.restart()
        scene.pass(.zero)
        #expect(scene.delivered.map(\.words) == ["high firing"])
        #expect(Set(scene.attempts.map(\.message.id)).count == 1)
        #expect(scene.log("notify.sent").first?.contains(" attempts=3 ") == true)
    }

    @Test("what could not be delivered for max_age is given up, also while no daemon ran")
    func maxAge() {
        var scene = scene(
            ["10.5"], channel: Routing.Channel(name: "ops", maxAge: .hours(1)), outcomes: [.fails])
        scene.poll()
        scene.step(.hours(1))
        scene.restart()
        scene.pass(.zero)
        #expect(scene.memory.messages.count == 1, "it is as old as that if this clock is right")
        scene.poll()
        #expect(scene.attempts.map(\.words) == ["high firing", "gap"])
        #expect(scene.memory.messages.isEmpty)
        #expect(scene.log("notify.dropped").first?.contains(" reason=max_age ") == true)
    }

    @Test("a channel that is gone from the configuration takes its messages with it, and the log says so")
    func vanished() {
        var scene = scene(["10.5"], outcomes: [.fails])
        scene.poll()
        scene.reload(.test(rules: [levelRule()], channels: []))
        #expect(scene.memory.messages.isEmpty)
        #expect(scene.status.outbox.queued == 0)
        #expect(scene.log("notify.dropped").first?.contains(" reason=no_channel ") == true)
    }

    @Test("when it stops, what hangs is waited for a moment, nothing new is sent, and what is broken off stays queued")
    func stops() {
        var scene = scene(["10.5", "9.5"], outcomes: [.hangs])
        scene.wake()
        #expect(scene.hanging.count == 1)
        scene.take(.stop)
        #expect(!scene.isOver && scene.nextWake == scene.now.uptime + .seconds(2))
        scene.step(.seconds(1))
        scene.take(.woke)
        #expect(!scene.isOver && scene.requests.count == 1)
        scene.step(.seconds(1))
        scene.take(.woke)
        #expect(scene.isOver)
        #expect(scene.memory.messages.map(\.attempts) == [0])
        #expect(scene.log("notify.failed").isEmpty)
        scene.restart()
        scene.pass(.zero)
        #expect(scene.delivered.map(\.words) == ["high firing"])
    }

    @Test("a poll that runs may go on for five seconds after the stop")
    func stopsPolling() {
        var scene = scene(["10.5"])
        scene.take(.woke)
        scene.take(.stop)
        #expect(!scene.isOver && scene.nextWake == scene.now.uptime + .seconds(5))
        scene.step(.seconds(4))
        scene.take(.woke)
        #expect(!scene.isOver)
        scene.work()
        #expect(scene.isOver && scene.attempts.isEmpty, "what it brought is left to the next run")
        #expect(scene.memory.messages.count == 1)
    }

    @Test("the events of one rule in one poll are one message, which a killed daemon sends under the same id")
    func oneRule() throws {
        let rule = AlertRule(name: "drop", scope: .all, condition: .above(price("10")), severity: .warning)
        var scene = EngineScene(
            .test(["bitcoin", "ethereum", "tether"], rules: [rule, levelRule()]),
            feeds: ["a": [gives("10.5"), gives { $0.text == "tether" ? "10.5" : "9.5" }]])
        scene.outcomes["ops"] = [.fails, .fails]
        scene.poll()
        #expect(scene.attempts.map(\.words) == ["drop firing, drop firing, drop firing", "high firing"])
        let ids = scene.attempts.map(\.message.id)
        #expect(ids[0] == StableID.of(["ops"] + scene.attempts[0].contents.events.map(\.id)))
        scene.restart()
        scene.poll()
        #expect(scene.delivered.map(\.message.id).prefix(2).sorted() == ids.sorted())
        #expect(scene.delivered.map(\.words).sorted().suffix(2) == ["high firing", "high resolved"])
        #expect(scene.delivered.contains { $0.words == "drop resolved, drop resolved" })
    }

    @Test("messages that wait for the end of quiet hours show in the status, until when and for which channel")
    func held() throws {
        let channel = Routing.Channel(name: "ops", quiet: QuietHours("sat 09:59-10:05", "10:04-10:07"))
        var scene = scene(["10.5", "9.5", "9.5"], channel: channel)
        scene.poll(2)
        let until = moment() + .minutes(7)
        #expect(scene.statuses.last?.outbox.held == [.init(channel: "ops", count: 2, until: until)])
        let json = try #require(scene.statuses.last).json
        let object = try #require(JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        let outbox = try #require(object["outbox"] as? [String: Any])
        #expect(outbox["held"] as? Int == 2 && outbox["held_until"] as? String == "2026-11-21T10:07:00Z")
        #expect(StatusReport(json: Data(json))?.outbox.held == scene.statuses.last?.outbox.held)
        scene.restart()
        scene.poll()
        #expect(scene.status.outbox.held == [.init(channel: "ops", count: 2, until: until)])
        scene.pass(.minutes(6))
        #expect(scene.delivered.map(\.words) == ["high firing, high resolved"])
        #expect(scene.statuses.last?.outbox == OutboxSize(queued: 0, oldest: nil))
    }

    @Test("what one channel has got is published as gone while another holds its messages")
    func heldBeside() {
        let channels = [Routing.Channel(name: "ops", quiet: QuietHours("10:00-10:05")), Routing.Channel(name: "other")]
        var scene = EngineScene(
            .test(rules: [levelRule()], channels: channels), feeds: ["a": [gives("10.5"), gives("9.5")]])
        for poll in 1...2 {
            scene.poll()
            #expect(scene.delivered.count == poll)
            #expect(scene.statuses.last?.outbox.queued == poll)
            #expect(scene.statuses.last?.outbox.held.map(\.count) == [poll])
        }
    }

    @Test("more than five events of a poll come as one message")
    func grouped() {
        var scene = scene(["10.5", "9.5"], rules: (1...6).map { levelRule("r\($0)") })
        scene.poll(2)
        #expect(scene.delivered.map(\.contents.events.count) == [6, 6])
    }

    @Test("a hundred messages never go more than four at once, and those of an alert in their order")
    func many() {
        var scene = scene(
            (1...20).map { $0 % 2 == 0 ? "9.5" : "10.5" }, rules: (1...5).map { levelRule("r\($0)") })
        scene.poll(20)
        #expect(scene.delivered.count == 100)
        #expect(scene.mostAtOnce == 4)
        for rule in 1...5 {
            let kinds = scene.delivered.flatMap(\.contents.events).filter { $0.rule == "r\(rule)" }.map(\.kind)
            #expect(kinds == (1...20).map { $0 % 2 == 1 ? .firing : .resolved })
        }
    }

    @Test("at night what is not critical is kept, across a restart, and comes in the morning as one message")
    func quiet() throws {
        var scene = scene(
            ["10.5", "9.5", "10.5", "9.5", "9.5", "10.5"], rules: [levelRule(), levelRule("worst", critical: true)],
            channel: Routing.Channel(name: "ops", quiet: QuietHours("10:00-10:05")))
        scene.poll(2)
        #expect(scene.delivered.map(\.words) == ["worst firing", "worst resolved"])
        #expect(scene.memory.messages.count == 2 && scene.memory.messages.allSatisfy(\.isHeld))
        scene.restart()
        scene.poll(2)
        #expect(scene.delivered.count == 4)
        scene.pass(.minutes(1))
        let morning = try #require(scene.delivered.last)
        #expect(morning.words == "high firing, high resolved, high firing, high resolved")
        #expect(morning.message.id == StableID.of(["ops"] + morning.contents.events.map(\.id)))
        #expect(scene.memory.messages.isEmpty)
    }

    @Test("what was kept is sent once and whole, whatever could be written of it", arguments: [false, true], 0...3)
    func quietOnAFullDisk(failing: Bool, until polls: Int) {
        let channel = Routing.Channel(name: "ops", quiet: QuietHours("10:00-10:03"))
        var scene = scene(["10.5", "9.5", "10.5", "10.5"], channel: channel, outcomes: [.fails])
        // Some of the messages, all, or none of them are there when they become one.
        for poll in 0..<3 {
            scene.fault = (poll < polls) == failing ? "no space" : nil
            scene.poll()
        }
        #expect(scene.attempts.isEmpty)
        scene.poll()
        scene.fault = nil
        scene.poll(2)
        #expect(scene.attempts.map(\.words) == Array(repeating: "high firing, high resolved, high firing", count: 2))
        #expect(scene.delivered.count == 1 && scene.memory.messages.isEmpty)
        #expect(scene.log("notify.dropped").isEmpty)
    }

    @Test("after a gap longer than ten minutes one message speaks of it, with what changed")
    func gap() throws {
        var scene = scene(["9.5", "10.5", "10.5"])
        scene.poll()
        scene.step(.hours(3))
        scene.restart()
        scene.poll(2)
        #expect(scene.delivered.map(\.words) == ["gap, high firing"])
        let note = try #require(scene.delivered.first?.contents.note)
        #expect(note.title == "Nothing was watched for 3 h")
        #expect(
            note.lines.prefix(2) == [
                "from 2026-11-21 10:00:00 to 13:01:00 UTC", "nothing of it can be backfilled",
            ])
    }

    @Test("where nothing can be written, messages go out all the same, and only once")
    func fullDisk() {
        var scene = scene(["9.5", "10.5", "9.5", "10.5", "10.5"])
        scene.poll()
        scene.fault = "no space"
        scene.poll(2)
        #expect(scene.delivered.map(\.words) == ["high firing", "high resolved"])
        #expect(scene.memory.messages.isEmpty && scene.memory.events.isEmpty)
        #expect(scene.status.reasons == [.init(.notRecording, "no space")])
        scene.fault = nil
        scene.poll(2)
        #expect(scene.delivered.map(\.words) == ["high firing", "high resolved", "high firing"])
        #expect(scene.memory.events.count == 3 && scene.memory.polls.count == 5)
        #expect(scene.memory.messages.isEmpty)
        #expect(scene.log("history.not_recording") == [" message=\"no space\""])
        #expect(scene.log("history.recording").count == 1)
        scene.restart()
        scene.pass(.zero)
        #expect(scene.delivered.count == 3)
    }

    @Test("the end of a silence is announced once, also where that cannot be written", arguments: [true, false])
    func silenceEnds(reloading: Bool) {
        var scene = scene(["10.5"])
        scene.silence([
            Silence(id: 1, rule: "high", market: nil, since: scene.now.wall, until: scene.now.wall + .seconds(90))
        ])
        scene.poll()
        #expect(scene.attempts.isEmpty)
        scene.fault = "no space"
        for _ in 0..<4 {
            scene.poll()
            if reloading { scene.reload() } else { scene.silence(scene.memory.silences) }
        }
        #expect(scene.delivered.map(\.words) == ["high reminder"])
        #expect(scene.memory.silences.count == 1)
        scene.fault = nil
        scene.poll()
        #expect(scene.memory.silences.isEmpty && scene.delivered.count == 1)
    }

    @Test("events that were committed and not logged are logged at the next start, once")
    func unlogged() {
        var scene = scene(["10.5"])
        scene.take(.woke)
        scene.crash(taking: .answered(.shared, gives("10.5")(scene.requests[0], scene.now)))
        scene.poll(2)
        #expect(scene.log("alert.firing").count == 1)
        scene.restart()
        scene.poll()
        #expect(scene.log("alert.firing").count == 1)
    }
}
