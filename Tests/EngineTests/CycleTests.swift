import Foundation
import Markets
import Testing

@testable import Engine

/// One cycle at a time.
@Suite struct CycleTests {
    private func answer(_ scene: inout EngineScene, _ request: Int, _ reply: EngineScene.Reply = gives("1")) {
        let request = scene.requests[request]
        scene.take(.answered(request.source, reply(request, scene.now)))
    }

    @Test("no second cycle starts while one runs")
    func oneAtATime() {
        var scene = EngineScene(.test())
        scene.take(.woke)
        #expect(scene.requests.count == 1 && scene.engine.isPolling && scene.nextWake == nil)
        for _ in 0..<3 {
            scene.step(.minutes(1))
            scene.take(.woke)
        }
        #expect(scene.requests.count == 1)
        answer(&scene, 0)
        #expect(!scene.engine.isPolling)
        #expect(scene.status.lastPoll?.at == moment() && scene.status.lastPoll?.tookMilliseconds == 180_000)
    }

    @Test("moments that a long cycle has passed over are skipped")
    func skipped() {
        var scene = EngineScene(.test())
        let start = scene.now.uptime
        scene.take(.woke)
        scene.step(.seconds(130))
        answer(&scene, 0)
        #expect(scene.nextWake == start + .seconds(180))
    }

    @Test("a source that falls due while the other is polled is polled as soon as the cycle has ended")
    func dueMeanwhile() {
        var settings = Settings.test(own: [("stocks", ["AAPL"])])
        settings.sources[1].every = .seconds(25)
        settings.sources[1].members[0].every = .seconds(25)
        var scene = EngineScene(settings)
        scene.take(.woke)
        answer(&scene, 1)
        answer(&scene, 0)
        for number in 2...3 {
            scene.step(.seconds(25))
            #expect(scene.nextWake == scene.now.uptime)
            scene.take(.woke)
            #expect(scene.requests.count == number + 1 && scene.requests.last?.feed == "stocks")
            answer(&scene, number)
        }
        scene.step(.seconds(10))
        scene.take(.woke)
        #expect(scene.requests.count == 5 && scene.requests.last?.feed == "a")
        scene.step(.seconds(20))
        scene.take(.woke)
        #expect(scene.requests.count == 5 && scene.nextWake == nil, "the poll still runs")
        answer(&scene, 4)
        #expect(scene.nextWake.map { $0 <= scene.now.uptime } == true)
        scene.take(.woke)
        #expect(scene.requests.count == 6 && scene.requests.last?.feed == "stocks")
    }

    @Test("what a source answers is taken in without waiting for the other")
    func asTheyCome() {
        var scene = EngineScene(.test(own: [("stocks", ["AAPL"])]))
        scene.take(.woke)
        #expect(scene.requests.map(\.feed) == ["a", "stocks"])
        answer(&scene, 1)
        #expect(scene.commits.flatMap(\.polls).map(\.feed) == ["stocks"])
        #expect(scene.statuses.last?.markets.map(\.state) == [.unknown, .fresh])
        answer(&scene, 0)
        #expect(scene.commits.flatMap(\.polls).map(\.feed) == ["stocks", "a"])
    }

    @Test("an answer that no poll waits for changes nothing")
    func unasked() {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1")]])
        scene.wake()
        let (commits, statuses) = (scene.commits.count, scene.statuses.count)
        answer(&scene, 0, gives("2"))
        #expect(scene.commits.count == commits && scene.statuses.count == statuses)
        #expect(scene.engine.board[market("bitcoin")]?.shown?.price == price("1"))
    }
}
