import Channels
import Engine
import Foundation
import HTTP
import History
import Markets
import Synchronization
import Testing

@testable import pricewatch

/// A provider that never answers, and a daemon that is stopped while it begins to ask.
@Suite struct StopTests {
    @Test("wherever the stop falls, a poll goes on for five seconds at most")
    func stops() async throws {
        try await sideBySide(0...7, Self.stop)
    }

    /// - Parameter step: The stop comes when the daemon has read the clock this many times since its start: at different places
    ///   before and at the beginning of its first poll; 0: before it starts.
    private static func stop(at step: Int) async throws {
        let files = try ConfigurationScene()
        let reading = try files.reading(
            """
            watch: {markets: [bitcoin]}
            feeds: [{provider: coingecko, url: "http://127.0.0.1:1/api/v3"}]
            poll: {every: 1m, timeout: 1m}
            history: {database: \(files.folder)/history.db, backfill: null}
            log: {file: null}
            status_file: \(files.folder)/status.json
            """)
        let clock = CountedClock()
        let server = HangingTransport()
        var environment = DaemonEnvironment(variables: [:], host: "box", now: { clock.now() })
        environment.transport = server
        let daemon = Daemon(try await Bootstrap(reading, environment))
        // Where the daemon reads the clock less often, the stop comes with the request.
        let request = Task {
            await server.waitUntilAsked()
            daemon.stop()
        }
        if step == 0 { daemon.stop() }
        clock.call(after: step) { daemon.stop() }
        let start = ContinuousClock.now
        _ = await daemon.run()
        #expect(ContinuousClock.now - start < .seconds(15), "stop \(step)")
        request.cancel()
        if step == 0 { #expect(server.requests == 0, "no poll begins after the stop") }
        let status = try #require(
            StatusReport(json: Data(contentsOf: URL(fileURLWithPath: files.folder + "/status.json"))))
        #expect(status.state == .stopped, "stop \(step)")
    }

    /// Without this, the next start would send it again.
    @Test("a message that is delivered while the daemon ends leaves the outbox")
    func deliveredAtTheEnd() async throws {
        let files = try ConfigurationScene()
        let database = files.folder + "/history.db"
        let reading = try files.reading(
            """
            watch: {markets: [bitcoin]}
            feeds: [{provider: coingecko, url: "http://127.0.0.1:1/api/v3"}]
            poll: {retry: {attempts: 1}}
            notify: {ops: {ntfy: "http://127.0.0.1:1/topic"}}
            history: {database: \(database), backfill: null}
            log: {file: null}
            status_file: \(files.folder)/status.json
            """)
        let writer = try HistoryWriter(at: database)
        var commit = Commit()
        let note = Note(kind: .gap, title: "nothing was watched", at: Date(), host: "box")
        commit.outbox = [.queue(OutgoingMessage(id: "m", channel: "ops", createdAt: Date(), events: [], note: note))]
        #expect(writer.commit(commit).fault == nil)
        try writer.close()

        let channel = LateChannel()
        var environment = DaemonEnvironment(variables: [:], host: "box")
        let server = HangingTransport()
        environment.transport = server
        environment.channel = { _ in channel }
        let daemon = Daemon(try await Bootstrap(reading, environment))
        let stop = Task {
            await channel.waitUntilAsked()
            daemon.stop()
            server.breakConnections()
        }
        _ = await daemon.run()
        await stop.value
        let left = try HistoryWriter(at: database)
        #expect(try left.reader.outboxSize().queued == 0)
        try left.close()
    }

    /// A channel whose service takes the message just when the delivery is cancelled.
    private final class LateChannel: Channel {
        let name = "ops"
        private let asked = AsyncStream.makeStream(of: Void.self)
        private let never = AsyncStream.makeStream(of: Void.self)

        func deliver(_ message: Message) async throws(DeliveryError) -> String {
            asked.continuation.yield()
            for await _ in never.stream {}
            return "ok"
        }

        func waitUntilAsked() async {
            for await _ in asked.stream { return }
        }
    }

    /// The system's time, and something that happens when it is asked for.
    private final class CountedClock: Sendable {
        private let state = Mutex<(left: Int, act: (@Sendable () -> Void)?)>((0, nil))

        func call(after count: Int, _ act: @escaping @Sendable () -> Void) { state.withLock { $0 = (count, act) } }

        func now() -> Moment {
            let act = state.withLock { state -> (@Sendable () -> Void)? in
                state.left -= 1
                return state.left == 0 ? state.act : nil
            }
            act?()
            return .now()
        }
    }
}
