import Engine
import Foundation
import Logging
import MarketSimulator
import Markets
import Synchronization
import Testing

@testable import pricewatch

@Suite struct HeartbeatTests {
    private static let word = "3f1c-very-secret"

    private func heartbeat(_ scene: ChannelScene, every: Duration = .minutes(5)) -> Heartbeat {
        let url = Configuration.Secret(revealed: "\(scene.server.baseURL)/ping/\(Self.word)", origin: .inline)
        return Heartbeat(Configuration.Heartbeat(url: url, every: every), over: scene.transport)
    }

    @Test("a GET, not more often than every", arguments: [60.0, 297, 300, 301])
    func pace(step: Double) async throws {
        try await ChannelScene.with { scene in
            let heartbeat = heartbeat(scene)
            for count in 0..<20 {
                heartbeat.beat(at: Told.now.addingTimeInterval(Double(count) * step), .silent)
                await heartbeat.finish()
            }
            // A poll that comes a moment early is not passed over.
            #expect(scene.requests.count == (step == 60 ? 4 : 20))
            #expect(scene.requests.allSatisfy { $0.method == "GET" && $0.path == "/ping/\(Self.word)" })
        }
    }

    @Test("failures are told sparsely and without the URL, and their end once")
    func failures() async throws {
        let requests = Mutex(0)
        let scene = try await ChannelScene { _ in
            let number = requests.withLock {
                $0 += 1
                return $0
            }
            return .json("{}", status: number <= 9 ? 404 : 200)
        }
        try await ChannelScene.using(scene) { scene in
            let outlet = KeptLines()
            let log = EventLog(
                Logger(label: "test") { _ in LineLogHandler(level: .info, outlets: [outlet], now: { Told.now }) })
            let heartbeat = heartbeat(scene)
            for count in 0..<11 {
                heartbeat.beat(at: Told.now + .minutes(10 * count), log)
                await heartbeat.finish()
            }
            #expect(outlet.lines.map(\.event) == Array(repeating: "heartbeat.failed", count: 4) + ["heartbeat.sent"])
            #expect(outlet.lines.allSatisfy { !$0.text(.text).contains(Self.word) })
            #expect(outlet.lines.last?.text(.text).contains("after_failures=9") == true)
        }
    }

    @Test("under a new configuration that says the same it goes on counting")
    func reload() async throws {
        try await ChannelScene.with { scene in
            let first = heartbeat(scene)
            first.beat(at: Told.now, .silent)
            await first.finish()
            let url = Configuration.Secret(revealed: "\(scene.server.baseURL)/ping/\(Self.word)", origin: .inline)
            let next = Heartbeat(.init(url: url, every: .minutes(5)), over: scene.transport, after: first)
            next.beat(at: Told.now + .minutes(1), .silent)
            await next.finish()
            #expect(scene.requests.count == 1)
        }
    }
}

/// Log lines kept for a look.
private final class KeptLines: LogOutlet {
    private let kept = Mutex<[LogLine]>([])
    var lines: [LogLine] { kept.withLock { $0 } }
    func write(_ line: LogLine) { kept.withLock { $0.append(line) } }
}
