import Foundation
import Markets
import TestSupport
import Testing

@testable import Engine

/// Whatever happens to the daemon, the network and the time-series engine: in the end it holds every recorded poll.
@Suite struct RandomExportTests {
    @Test("nothing is missing after failures, kills and restarts", arguments: 1...24)
    func random(seed: Int) {
        var random = SeededNumbers(UInt64(seed))
        var scene = ExportScene(every: [.seconds(1), .seconds(5), .minutes(1)][seed % 3])
        scene.limit = [20, 60, 1000][seed / 3 % 3]
        let every = scene.scene.settings.every
        var (isDown, isFull) = (false, false)
        // It has lost what it acknowledged last, and no request has failed since.
        var isUnnoticed = false
        func fail(_ cause: String, retryAfter: Duration? = nil) {
            if scene.request != nil { isUnnoticed = false }
            scene.answer(.failed(cause: cause, retryAfter: retryAfter))
        }
        for _ in 0..<400 {
            switch random.next() % 24 {
            case 0..<8:
                scene.poll()
                scene.step(scene.scene.settings.every)
            case 8..<14: isDown ? fail("refused") : scene.answer()
            case 14: fail("503", retryAfter: random.next() % 2 == 0 ? .seconds(3) : nil)
            case 15: fail("timeout")
            case 16:
                if scene.request != nil { isUnnoticed = false }
                scene.answer(.blocked(cause: "401"))
            case 17: scene.pass(.milliseconds(Int(random.next() % 3000)))
            case 18: scene.pass(.seconds(Int(random.next() % 60)))
            case 19:
                scene.killEngine()
                isUnnoticed = true
                // It breaks the connection of a running request.
                fail("connection reset")
                if isUnnoticed, every <= .seconds(5), !isFull, random.next() % 2 == 0 {
                    // It is up again before the next request, which repeats what was acknowledged within 10 s.
                    scene.step(every)
                    scene.poll()
                    isUnnoticed = false
                } else {
                    isDown = true
                }
            case 20: isDown = isUnnoticed
            case 21:
                scene.restart()
                isUnnoticed = false
            case 22:
                isFull = random.next() % 2 == 0
                scene.fault(isFull ? "disk full" : nil)
            default: scene.reload { _ in }
            }
            if isDown, scene.request != nil, random.next() % 2 == 0 { fail("refused") }
        }
        scene.fault(nil)
        if isUnnoticed { scene.restart() }
        for _ in 0..<200 {
            scene.answerAll()
            scene.poll()
            scene.step(.seconds(61))
        }
        scene.answerAll()
        let missing = (1...scene.polls).filter { scene.held[$0] == nil }
        #expect(missing.isEmpty, "\(missing) of \(scene.polls)")
        #expect(scene.export.pending == 0)
        #expect(scene.export.state == .ok)
    }
}
