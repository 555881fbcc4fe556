import Foundation
import Markets
import Testing

@testable import Engine

/// A wait is logged once: a log without it would not say why nothing is polled.
@Suite struct LoggedWaitTests {
    private static let cause = "the provider is not asked before then"

    private func line(_ until: String, _ message: String = Self.cause) -> String {
        " until=2026-11-21T\(until)Z feed=a message=\"\(message)\""
    }

    @Test("one that is in force at the start is, not each cycle that asks nothing because of it")
    func start() {
        var scene = EngineScene(.test(), feeds: ["a": [waits(until: moment() + .hours(1))]])
        scene.poll(5)
        #expect(scene.log("poll.waiting") == [line("11:00:00")])
        #expect(scene.events.filter { $0 != "poll.waiting" } == [])
        scene.restart()
        scene.poll(2)
        #expect(scene.log("poll.waiting").count == 2)
    }

    @Test("one that begins while it runs is, with the first cycle that it costs")
    func begins() {
        var scene = EngineScene(
            .test(),
            feeds: [
                "a": [gives("1"), refuses(for: .minutes(10)), waits(until: moment(660)), waits(until: moment(660))]
            ])
        scene.poll(4)
        #expect(scene.log("poll.waiting") == [line("10:11:00")])
        #expect(scene.events.filter { $0.hasPrefix("poll.") } == ["poll.ok", "poll.failed", "poll.waiting"])
    }

    @Test("of many waits in a row, those after the failures that are logged: the 1st, 2nd, 4th, 8th")
    func many() {
        var scene = EngineScene(.test(), feeds: ["a": []])
        for number in 0..<9 {
            let until = scene.now.wall + .minutes(2)
            scene.replies["a"] = [refuses(for: .minutes(2)), waits(until: until)]
            scene.poll(2)
            #expect(scene.log("poll.waiting").count == scene.log("poll.failed").count, "\(number)")
        }
        #expect(scene.log("poll.waiting").count == 4)
        scene.replies["a"] = [gives("1"), refuses(for: .minutes(2)), waits(until: scene.now.wall + .minutes(3))]
        scene.poll(3)
        #expect(scene.log("poll.waiting").count == 5, "a good poll begins the count anew")
    }

    @Test("the pause after a restart is, until the first poll; a reload repeats nothing")
    func restart() {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1")]])
        scene.wake()
        scene.step(.seconds(20))
        scene.restart()
        for _ in 0..<3 { scene.wake() }
        scene.reload()
        scene.wake()
        #expect(
            scene.log("poll.waiting") == [line("10:01:00", "the last request was made shortly before the start")])
        scene.run(for: .seconds(45))
        #expect(scene.events.filter { $0.hasPrefix("poll.") } == ["poll.ok", "poll.waiting", "poll.ok"])
    }

    @Test("a provider that refuses everything is called that; a standby that answers makes no wait")
    func others() {
        let until = moment() + .hours(6)
        var blocked = EngineScene(
            .test(),
            feeds: ["a": [refuses(.forbidden, for: .hours(6), isBlock: true), waits(until: until, isBlock: true)]])
        blocked.poll(3)
        #expect(blocked.log("poll.waiting") == [line("16:00:00", "the provider refuses requests")])
        var standby = EngineScene(.test(feeds: ["a", "b"]), feeds: ["a": [waits(until: until)], "b": [gives("1")]])
        standby.poll(3)
        #expect(standby.log("poll.waiting") == [])
    }
}
