import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct HeartbeatTests {
    private func scene(every: Duration, beat: Duration = .minutes(5)) -> EngineScene {
        EngineScene(.test(every: every, heartbeat: beat), feeds: ["a": [gives("1")]])
    }

    @Test("not more often than every", arguments: [60.0, 297, 300, 301])
    func pace(step: Double) {
        var scene = scene(every: .seconds(Int(step)))
        scene.poll(20)
        // A poll that comes a moment early is not passed over.
        #expect(scene.heartbeats.count == (step == 60 ? 4 : 20))
    }

    @Test("none while one is under way, none after a poll that failed")
    func oneAtATime() {
        var scene = scene(every: .minutes(10))
        scene.take(.woke)
        scene.take(.answered(.shared, gives("1")(scene.requests[0], scene.now)))
        #expect(scene.heartbeats.count == 1)
        scene.step(.minutes(10))
        scene.take(.woke)
        let plan = scene.take(.answered(.shared, gives("1")(scene.requests[1], scene.now)))
        #expect(!plan.sendsHeartbeat)
        scene.take(.heartbeat(fault: nil))
        scene.replies["a"] = [fails()]
        scene.step(.minutes(10))
        scene.wake()
        #expect(scene.heartbeats.count == 1)
        scene.replies["a"] = [gives("1")]
        scene.step(.minutes(10))
        scene.wake()
        #expect(scene.heartbeats.count == 2)
    }

    @Test("failures are logged sparsely, and their end once")
    func failures() {
        var scene = scene(every: .minutes(10))
        scene.heartbeatFaults = Array(repeating: "404", count: 9)
        scene.poll(11)
        #expect(scene.heartbeats.count == 11)
        let lines = scene.log.filter { $0.event.hasPrefix("heartbeat.") }
        #expect(lines.map(\.event) == Array(repeating: "heartbeat.failed", count: 4) + ["heartbeat.sent"])
        #expect(scene.log("heartbeat.failed") == [1, 2, 4, 8].map { " count=\($0) message=404" })
        #expect(scene.log("heartbeat.sent") == [" after_failures=9"])
    }

    @Test("under a new configuration that says the same it goes on counting")
    func reload() {
        var scene = scene(every: .minutes(1))
        scene.poll()
        scene.reload()
        scene.poll()
        #expect(scene.heartbeats.count == 1)
        scene.reload(.test(heartbeat: .minutes(6)))
        scene.poll()
        #expect(scene.heartbeats.count == 2)
    }
}
