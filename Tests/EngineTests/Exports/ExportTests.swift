import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct ExportTests {
    private static let down = ExportOutcome.failed(cause: "connect: refused", retryAfter: nil)

    @Test("each poll is sent once, when it is recorded")
    func live() {
        var scene = ExportScene()
        scene.pollAndSend(5)
        #expect(scene.sent == [1...1, 2...2, 3...3, 4...4, 5...5])
        #expect(scene.export.state == .ok)
        #expect(scene.export.sent == 5)
        #expect(scene.export.pending == 0)
        #expect(scene.log("export.caught_up").isEmpty)
    }

    @Test("one request at a time; what is recorded meanwhile follows it")
    func oneAtATime() {
        var scene = ExportScene()
        scene.pollAndSend()
        for _ in 0..<3 {
            scene.poll()
            scene.step(.minutes(1))
        }
        #expect(scene.scene.exports.count == 2)
        #expect(scene.export.pending == 3)
        #expect(scene.export.lag == .minutes(3))
        scene.answerAll()
        #expect(scene.sent.last == 2...4)
        #expect(scene.export.pending == 0)
        #expect(scene.export.lag == .zero)
    }

    @Test("a poll does not wait for a request that hangs")
    func hangs() {
        var scene = ExportScene(every: .seconds(1))
        scene.pollAndSend()
        for _ in 0..<100 {
            scene.poll()
            scene.step(.seconds(1))
        }
        #expect(scene.polls == 101)
        #expect(scene.export.state == .behind)
        #expect(scene.export.lag == .seconds(100))
    }

    @Test("the waits grow from a second to a minute, with jitter, while the engine does not answer")
    func backoff() throws {
        var scene = ExportScene()
        scene.pollAndSend()
        scene.poll()
        var waits: [Double] = []
        for failure in 1...9 {
            scene.answer(Self.down)
            #expect(scene.request == nil, "failure \(failure)")
            let next = try #require(scene.scene.engine.exports[0].nextMoment)
            waits.append((next - scene.uptime).inSeconds)
            scene.pass(next - scene.uptime - .milliseconds(1))
            #expect(scene.request == nil)
            scene.pass(.milliseconds(1))
            #expect(scene.request != nil)
        }
        for (wait, longest) in zip(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
            #expect(wait >= Double(longest) / 2 && wait <= Double(longest), "\(waits)")
        }
        #expect(scene.log("export.failed").count == 4, "the 1st, 2nd, 4th and 8th")
        #expect(scene.export.state == .failing)
        #expect(scene.export.error == "connect: refused")
        #expect(scene.reasons == ["export_failing"])
        scene.answer()
        #expect(scene.export.state == .ok)
        #expect(scene.export.error == nil)
        #expect(scene.log("export.caught_up") == [" export=cluster after_failures=9"])
    }

    @Test("an engine's own wait counts, up to ten minutes", arguments: [(0, 1), (7, 7), (3600, 600)])
    func retryAfter(asked: Int, waits: Int) throws {
        var scene = ExportScene()
        scene.pollAndSend()
        scene.poll()
        scene.answer(.failed(cause: "429", retryAfter: .seconds(asked)))
        let next = try #require(scene.scene.engine.exports[0].nextMoment)
        #expect(next - scene.uptime == .seconds(waits))
    }

    @Test("what refuses every request is asked every ten minutes; nothing is given up")
    func refused() throws {
        var scene = ExportScene()
        scene.pollAndSend(2)
        scene.poll()
        scene.answer(.blocked(cause: "401 Unauthorized"))
        #expect(scene.export.state == .refused)
        #expect(scene.reasons == ["export_refused"])
        scene.pass(.minutes(9) + .seconds(59))
        #expect(scene.request == nil)
        scene.pass(.seconds(1))
        #expect(scene.request?.after == 2 && scene.request?.rewinds == true)
        scene.answer(.blocked(cause: "401 Unauthorized"))
        #expect(scene.log("export.failed").count == 2)
        // A reload asks at once: the token may be another.
        scene.reload { _ in }
        #expect(scene.request?.after == 2 && scene.request?.rewinds == true)
        scene.answerAll()
        #expect(scene.export.state == .ok)
        #expect(scene.held.keys.sorted() == Array(1...scene.polls))
    }

    @Test("after a failure, two minutes are sent again")
    func rewinds() {
        var scene = ExportScene()
        scene.pollAndSend(10)
        scene.poll()
        scene.answer(Self.down)
        scene.pass(.seconds(1))
        scene.answerAll()
        #expect(scene.sent.last == 8...11, "polls 8 to 10 are two minutes")
        #expect(scene.export.sent == 11, "each once")
        scene.step(.minutes(1))
        scene.pollAndSend()
        #expect(scene.sent.last == 12...12)
    }

    @Test("polls of the last ten seconds are sent again with each request; rarer polls are not")
    func overlap() {
        var often = ExportScene(every: .seconds(1))
        often.limit = 200
        often.pollAndSend(30)
        #expect(often.sent.last == 21...30)
        #expect(often.export.sent == 30)
        var rarely = ExportScene(every: .seconds(10))
        rarely.pollAndSend(30)
        #expect(rarely.sent.last == 30...30)
    }

    @Test("a backlog follows request by request, each behind the last")
    func backlog() {
        var scene = ExportScene(every: .seconds(1))
        scene.poll()
        for _ in 0..<200 {
            scene.poll()
            scene.step(.seconds(1))
        }
        scene.answer()
        #expect(scene.sent == [1...20])
        #expect(scene.export.state == .behind)
        #expect(scene.export.pending == 180)
        for _ in 0..<8 { scene.answer() }
        #expect(scene.sent.last == 161...180, "without what was sent just before")
        scene.answerAll()
        #expect(scene.sent.last == 181...200)
        #expect(scene.log("export.caught_up") == [" export=cluster"])
        #expect(scene.export.pending == 0)
    }

    @Test("the position goes with the next poll, and no commit is made for it")
    func commits() {
        var scene = ExportScene()
        scene.pollAndSend()
        let commits = scene.scene.commits.count
        #expect(scene.stored == StoredExport(address: "a"))
        scene.pass(.seconds(20))
        #expect(scene.scene.commits.count == commits)
        scene.pollAndSend()
        #expect(scene.stored == StoredExport(address: "a", poll: 1, sent: 1))
        // The last one goes with the end.
        scene.take(.stop)
        #expect(scene.scene.isOver)
        #expect(scene.stored == StoredExport(address: "a", poll: 2, sent: 2))
    }

    @Test("a restart sends two minutes again, and what was never sent")
    func restart() {
        var scene = ExportScene()
        scene.pollAndSend(10)
        scene.restart()
        scene.pollAndSend()
        #expect(scene.sent.last == 7...11, "the last commit had poll 9 as sent, with polls 7 and 8 before it")
        scene.step(.minutes(1))
        // A new export begins with the oldest.
        scene.restart { $0.exports.append(ExportSettings(name: "other", address: "b")) }
        scene.poll()
        #expect(scene.scene.exports.suffix(2).map(\.after) == [9, 0], "poll 11 was committed before it was sent")
    }

    @Test("an engine that fails every other request is not sent ever older polls")
    func alternates() {
        var scene = ExportScene()
        scene.pollAndSend(30)
        scene.limit = 1
        scene.poll()
        for _ in 0..<20 {
            scene.answer(Self.down)
            scene.pass(.seconds(2))
            scene.answer()
        }
        #expect(scene.sent.dropFirst(30).map(\.lowerBound).min() == 28)
        scene.limit = 20
        scene.answerAll()
        #expect(scene.sent.last?.upperBound == 31)
    }

    @Test("a restart sends a lost backlog again, though its first requests held only what the engine had kept")
    func diesAfterRepeating() {
        var scene = ExportScene(every: .seconds(1))
        scene.pollAndSend(200)
        for _ in 0..<400 {
            scene.poll()
            scene.step(.seconds(1))
        }
        scene.restart()
        scene.poll()
        for _ in 0..<20 { scene.answer() }
        scene.killEngine()
        for _ in 0..<30 {
            scene.step(.seconds(1))
            scene.poll()
        }
        scene.restart()
        scene.poll()
        scene.answerAll()
        #expect(scene.held.keys.sorted() == Array(1...scene.polls))
    }

    @Test("an engine that dies unnoticed soon after a start is sent the two minutes again")
    func diesAfterStart() {
        var scene = ExportScene(every: .seconds(1))
        scene.limit = 1000
        scene.pollAndSend(200)
        scene.killEngine()
        scene.restart()
        scene.pollAndSend()
        scene.killEngine()
        scene.pollAndSend(12)
        #expect(scene.held.count == 213)
        #expect(scene.sent.last?.count ?? 0 <= 11, "and then no more")
    }

    @Test("daemons that live for seconds do not send ever more again")
    func shortLives() {
        var scene = ExportScene(every: .seconds(1))
        scene.limit = 1000
        scene.pollAndSend(300)
        for _ in 0..<200 {
            scene.restart()
            scene.pollAndSend(2)
        }
        #expect(scene.sent.suffix(100).map(\.count).max() ?? 0 < 130)
        #expect(scene.export.sent == 700)
    }

    @Test("a restart long after an engine died during a backlog sends again what it lost")
    func diesInBacklog() {
        var scene = ExportScene(every: .seconds(1))
        for _ in 0..<200 {
            scene.poll()
            scene.step(.seconds(1))
        }
        for _ in 0..<5 { scene.answer() }
        scene.killEngine()
        // The request under way hangs, while polls store how far the export is.
        for _ in 0..<30 {
            scene.step(.seconds(1))
            scene.poll()
        }
        scene.restart()
        scene.poll()
        scene.answerAll()
        #expect(scene.held.keys.sorted() == Array(1...scene.polls))
    }

    @Test("another address gets two minutes again, and the end of the old request does not count")
    func address() {
        var scene = ExportScene()
        scene.pollAndSend(10)
        scene.poll()
        let old = scene.request
        scene.reload { $0.exports[0].address = "b" }
        #expect(scene.request?.export.address == "b")
        #expect(scene.request?.rewinds == true)
        if let old { scene.take(.exported(ExportResult(of: old, nil, Self.down))) }
        #expect(scene.export.error == nil)
        scene.answerAll()
        #expect(scene.sent.last == 8...11)
        scene.reload { $0.exports = [] }
        scene.step(.minutes(1))
        scene.poll()
        #expect(scene.request == nil)
        #expect(scene.scene.status.exports.isEmpty)
    }

    @Test("refused lines are logged, ten of a batch at most, counted, and not sent again with the next request")
    func refusedLines() {
        var scene = ExportScene(every: .seconds(1))
        scene.pollAndSend(3)
        scene.poll()
        let lines = (0..<12).map { ExportOutcome.RefusedLine(line: "m v=\($0)", cause: "type \"conflict\"\n") }
        scene.answer(.sent(refused: lines))
        #expect(scene.export.refused == 12)
        #expect(scene.export.state == .ok)
        let logged = scene.log("export.refused")
        #expect(logged.count == 11)
        #expect(logged.first == #" export=cluster line="m v=0" message="type \"conflict\"\n""#)
        #expect(logged.last == " export=cluster more=2")
        scene.step(.seconds(1))
        scene.pollAndSend()
        #expect(scene.sent.last == 5...5)
    }

    @Test("what was pruned unsent is logged, counted, and no longer waits")
    func lost() {
        var scene = ExportScene()
        for _ in 0..<4 {
            scene.poll()
            scene.step(.minutes(1))
        }
        #expect(scene.export.pending == 4)
        scene.take(.pruned(isStillTooLarge: false, lost: ["cluster": 3, "gone": 1]))
        #expect(scene.export.lost == 3)
        #expect(scene.export.pending == 1)
        #expect(scene.log("export.lost").count == 1)
    }

    @Test("nothing is sent of what could not be recorded, until it is")
    func unwritable() {
        var scene = ExportScene()
        scene.pollAndSend()
        scene.fault("disk full")
        scene.pollAndSend(2)
        #expect(scene.sent == [1...1])
        #expect(scene.export.pending == 0)
        scene.fault(nil)
        scene.pollAndSend()
        #expect(scene.sent.last == 2...4)
        #expect(scene.export.pending == 0)
    }

    @Test("a stop starts no further request, and waits for none")
    func stops() {
        var scene = ExportScene()
        scene.pollAndSend()
        scene.poll()
        scene.take(.stop)
        #expect(scene.scene.isOver)
        scene.answer(.interrupted)
        #expect(scene.request == nil)
        #expect(scene.log("export.failed").isEmpty)
    }
}
