import Engine
import Foundation
import HTTP
import History
import Markets
import Synchronization
import TestSupport
import Testing

@testable import Channels
@testable import pricewatch

/// The daemon on a simulated market, with Alertmanagers that answer as they are told, and time stepped by hand. What is
/// decided when is in `StatePostTests` of the engine; this is about the requests, and what the database keeps.
@Suite struct DaemonStateTests {
    private static let bitcoin = Told.id("bitcoin")

    /// Two Alertmanagers behind the transport; those that are down refuse the connection.
    private final class Cluster: HTTPTransport {
        private struct State {
            var down: Set<String> = []
            var posts: [(host: String, alerts: [[String: String]])] = []
        }

        private let state = Mutex(State())

        /// The alerts of the posts that arrived: `high to 10:04:00`, by host.
        func alerts(at host: String) -> [[String]] {
            let posts = state.withLock(\.posts).filter { $0.host == host }
            return posts.map {
                $0.alerts.map { "\($0["alertname"] ?? "") to \($0["endsAt"]?.dropFirst(11).prefix(8) ?? "")" }
            }
        }

        var summaries: [String] { state.withLock(\.posts).flatMap(\.alerts).compactMap { $0["summary"] } }

        func take(down hosts: Set<String>) { state.withLock { $0.down = hosts } }

        func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
            let host = URLComponents(string: request.url)?.host ?? ""
            let body = try? JSONSerialization.jsonObject(with: request.body ?? Data()) as? [[String: Any]]
            let alerts = (body ?? []).map { alert in
                let parts = ["labels", "annotations"].compactMap { alert[$0] as? [String: String] }
                return parts.reduce(into: ["endsAt": alert["endsAt"] as? String ?? ""]) { $0.merge($1) { $1 } }
            }
            let isDown = state.withLock { state in
                if state.down.contains(host) { return true }
                state.posts.append((host, alerts))
                return false
            }
            if isDown { throw .connect("connection refused") }
            return HTTPAnswer(status: 200, headers: [:], body: Data())
        }
    }

    private func scene(_ cluster: Cluster, _ prices: [String], more: String = "") throws -> DaemonScene {
        let scene = try DaemonScene(
            """
            watch: {markets: [bitcoin]}
            builtin_alerts: false
            alerts: [{name: high, market: bitcoin, above: 10}]
            notify: {cluster: {alertmanager: ["https://am-1", "https://am-2"]\(more)}}
            """, script: [Self.bitcoin: prices.map(Told.price)])
        scene.transport = RoutedTransport(servers: [
            scene.simulator.baseURL: SimulatedTransport(scene.simulator), "https://am-": cluster,
        ])
        return scene
    }

    private func faults(_ scene: DaemonScene) throws -> [String] {
        try scene.status().reasons.filter { $0.code == "notify_failing" }.map(\.message)
    }

    @Test("each cycle posts to each address, and a restart goes on with the resolve")
    func posts() async throws {
        let cluster = Cluster()
        let scene = try scene(cluster, ["9.5", "10.5", "10.5", "9.5"])
        try await scene.start()
        await scene.poll(4)
        await scene.stop()
        try await scene.start()
        await scene.poll()
        let posted = [[], ["high to 10:05:00"], ["high to 10:06:00"], ["high to 10:03:00"], ["high to 10:03:00"]]
        #expect(cluster.alerts(at: "am-1") == posted)
        #expect(cluster.alerts(at: "am-2") == posted)
        #expect(try scene.queued().isEmpty && scene.log("notify.sent").isEmpty)
        await scene.stop()
    }

    @Test("an address that is down shows in status and log, without its path, until it is back")
    func fails() async throws {
        let cluster = Cluster()
        let scene = try scene(cluster, ["10.5"])
        cluster.take(down: ["am-2"])
        try await scene.start()
        await scene.poll()
        #expect(
            try faults(scene) == [
                "cluster does not deliver: send to cluster (alertmanager am-2): no connection: connection refused"
            ])
        #expect(try scene.status().state == .degraded)
        #expect(scene.log("notify.failed").map { $0.contains(" channel=cluster address=am-2 count=1 ") } == [true])
        cluster.take(down: [])
        await scene.poll()
        #expect(try faults(scene) == [])
        #expect(
            scene.log("notify.sent").map { $0.hasSuffix(" channel=cluster address=am-2 after_failures=1") } == [true])
        await scene.stop()
    }

    @Test("an alert that fired and ended while all were down is sent once, also by the next daemon")
    func missed() async throws {
        let cluster = Cluster()
        let scene = try scene(cluster, ["10.5", "9.5", "9.5", "9.5", "9.5"])
        cluster.take(down: ["am-1", "am-2"])
        try await scene.start()
        await scene.poll()
        await scene.stop()
        try await scene.start()
        await scene.poll()
        #expect(try scene.queued().map(\.channel) == ["cluster"])
        await scene.stop()
        cluster.take(down: ["am-1"])
        try await scene.start()
        await scene.poll(3)
        #expect(try scene.queued().isEmpty)
        #expect(cluster.alerts(at: "am-2").filter { !$0.isEmpty } == [["high to 10:08:00"]])
        let summary = try #require(cluster.summaries.first)
        #expect(
            summary.hasSuffix(
                "; fired from 2026-11-21 10:00:00 to 10:01:00 UTC while no Alertmanager could be reached"))
        await scene.stop()
    }

    @Test("an alert that one had is not missed after a restart")
    func reached() async throws {
        let cluster = Cluster()
        let scene = try scene(cluster, ["10.5", "9.5"], more: ", shared: true")
        cluster.take(down: ["am-1"])
        try await scene.start()
        await scene.poll()
        await scene.stop()
        #expect(try HistoryReader(at: scene.database).notifiedChannels().values.map(\.self) == [["cluster"]])
        cluster.take(down: ["am-1", "am-2"])
        try await scene.start()
        await scene.poll(2)
        #expect(try scene.queued().isEmpty)
        await scene.stop()
    }
}
