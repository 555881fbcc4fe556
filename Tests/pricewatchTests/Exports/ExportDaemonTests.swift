import Engine
import Foundation
import Markets
import Synchronization
import TestSupport
import Testing

@testable import History
@testable import pricewatch

@Suite struct ExportDaemonTests {
    private static let export = ExportSettings(name: "cluster", address: "a")
    private let scene: DaemonScene
    private let engine = ScriptedEngine()

    init() throws {
        scene = try DaemonScene(
            """
            watch: {markets: [bitcoin, ethereum]}
            alerts: [{name: high, market: bitcoin, above: 1}]

            """, script: [:])
        scene.exports = [Self.export: { [engine] in await engine.take($0) }]
    }

    private func recorded() throws -> Int { Int(try HistoryReader(at: scene.database).size().samples) }

    @Test("each poll is sent when it is recorded, with the alerts that fire")
    func live() async throws {
        try await scene.start()
        await scene.poll(3)
        #expect(try engine.held.count == recorded())
        #expect(engine.alerts.allSatisfy { $0.isFiring && $0.rule == "high" })
        #expect(engine.alerts.count == 3)
        let status = try scene.status()
        #expect(status.exports.map(\.name) == ["cluster"])
        #expect(status.exports[0].state == .ok)
        #expect(status.state == .ok)
        await scene.stop()
    }

    @Test("what is recorded during an outage follows, also across a restart")
    func outage() async throws {
        try await scene.start()
        await scene.poll(2)
        engine.outcome = .failed(cause: "connect: refused", retryAfter: nil)
        await scene.poll(5)
        #expect(try scene.status().reasons.map(\.code) == ["export_failing"])
        #expect(try scene.status().exports[0].pending == recorded() - engine.held.count)
        await scene.stop()
        engine.outcome = nil
        try await scene.start()
        await scene.poll()
        #expect(try engine.held.count == recorded())
        #expect(try scene.status().reasons.isEmpty)
        #expect(scene.log("export.failed").count > 1)
        await scene.stop()
    }

    @Test("an engine that hangs delays no poll, and a stop does not wait for it")
    func hangs() async throws {
        try await scene.start()
        engine.hangs = true
        let daemon = try #require(scene.daemon)
        let running = Task { await daemon.run() }
        for _ in 0..<5 {
            await daemon.take(.woke)
            while await daemon.engine.isPolling { await Task.yield() }
            scene.time.step(.minutes(1))
        }
        #expect(try recorded() == 10)
        #expect(try scene.status().exports[0].pending == 10)
        daemon.stop()
        _ = await running.value
        #expect(engine.cancelled == 1)
        #expect(engine.held.isEmpty)
    }

    @Test("the position is written with the next poll, and a killed daemon's samples are sent again")
    func killed() async throws {
        try await scene.start()
        await scene.poll(3)
        func position() throws -> Int64? {
            try HistoryReader(at: scene.database).value("SELECT poll FROM export WHERE name = 'cluster'")
        }
        #expect(try position() == 2)
        // The next daemon finds what this one left; its end writes nothing more.
        await scene.stop()
        #expect(try position() == 2)
        let before = engine.requests
        try await scene.start()
        await scene.poll()
        #expect(engine.requests > before)
        #expect(try engine.held.count == recorded())
        await scene.stop()
    }
}

/// A time-series engine that keeps what it is sent.
private final class ScriptedEngine: Sendable {
    private let state = Mutex(State())

    private struct State {
        var held: Set<ExportedSample> = []
        var alerts: Set<ExportedAlert> = []
        var requests = 0
        var cancelled = 0
        var hangs = false
        var outcome: ExportOutcome?
    }

    var held: Set<ExportedSample> { state.withLock { $0.held } }
    var alerts: Set<ExportedAlert> { state.withLock { $0.alerts } }
    var requests: Int { state.withLock { $0.requests } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    /// Nil: it takes everything.
    var outcome: ExportOutcome? {
        get { state.withLock { $0.outcome } }
        set { state.withLock { $0.outcome = newValue } }
    }
    var hangs: Bool {
        get { state.withLock { $0.hangs } }
        set { state.withLock { $0.hangs = newValue } }
    }

    func take(_ batch: ExportBatch) async -> ExportOutcome {
        if hangs {
            try? await Task.sleep(for: .hours(1))
            state.withLock { $0.cancelled += 1 }
            return .interrupted
        }
        return state.withLock { state in
            state.requests += 1
            if let outcome = state.outcome { return outcome }
            state.held.formUnion(batch.samples)
            state.alerts.formUnion(batch.alerts)
            return .sent(refused: [])
        }
    }
}
