import Engine
import Foundation
import HTTP
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import Channels
@testable import pricewatch

/// What Alertmanagers are sent, field by field, as it arrives.
@Suite struct AlertmanagerTests {
    private static func channel(
        _ scene: ChannelScene, _ urls: [String], labels: [String: String] = [:],
        credentials: Credentials? = nil
    ) -> AlertmanagerChannel {
        AlertmanagerChannel(
            name: "cluster",
            cluster: Alertmanagers(
                urls: urls.map { Secret($0) }, labels: labels, credentials: credentials),
            transport: scene.transport, now: { Told.now })
    }

    private static func state(
        _ firing: [AlertEvent] = [], _ resolved: [AlertEvent] = [], limit: Duration = .seconds(5)
    ) -> StatePost {
        StatePost(
            channel: "cluster", firing: firing, resolved: resolved, endsAt: Told.now + .minutes(4), limit: limit)
    }

    /// Of the first request.
    private static func alerts(_ scene: ChannelScene) throws -> [[String: Any]] {
        let body = Data(scene.requests.first?.body ?? [])
        return try #require(try JSONSerialization.jsonObject(with: body) as? [[String: Any]])
    }

    @Test func `a state, with the path of the base URL kept`() async throws {
        let firing = Told.event(
            threshold: "60000", severity: .critical, note: "sell \"the\" boat\n🚀", at: Told.now,
            since: Told.now - .minutes(2))
        let resolved = Told.event(
            price: nil, kind: .resolved, reason: .conditionEnded, rule: "other", at: Told.now + .seconds(60))
        try await ChannelScene.with { scene in
            let channel = Self.channel(scene, [scene.server.baseURL + "/alertmanager"], labels: ["team": "a\u{1}\"b"])
            let answers = await channel.post(
                Self.state([firing], [resolved]), page: try PageURL("https://example.org"))
            #expect(answers.addresses.map(\.outcome) == [.taken])
            let request = try #require(scene.requests.first)
            #expect(request.method == "POST" && request.target == "/alertmanager/api/v2/alerts")
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.headers["authorization"] == nil)
            let alerts = try Self.alerts(scene)
            #expect(
                alerts.compactMap { $0["labels"] as? [String: String] }
                    == ["btc-below-60k", "other"].map { rule in
                        [
                            "alertname": rule, "market": "bitcoin", "currency": "usd", "service": "pricewatch",
                            "severity": rule == "other" ? "warning" : "critical", "team": "a\u{1}\"b",
                        ]
                    })
            let annotations = alerts.compactMap { $0["annotations"] as? [String: String] }
            #expect(
                annotations[0] == [
                    "summary": "▼ BTC 59,990 usd, below 60,000 (btc-below-60k)", "description": "sell \"the\" boat\n🚀",
                    "price": "59990", "threshold": "60000", "event_id": "0123456789abcdef",
                ])
            #expect(Set(annotations[1].keys) == ["summary", "event_id"])
            #expect(alerts.map { $0["startsAt"] as? String } == Array(repeating: "2026-11-21T10:00:00.000Z", count: 2))
            #expect(
                alerts.map { $0["endsAt"] as? String } == ["2026-11-21T10:04:00.000Z", "2026-11-21T10:01:00.000Z"])
            #expect(
                alerts.map { $0["generatorURL"] as? String }
                    == Array(repeating: "https://example.org/m/bitcoin", count: 2))
        }
    }

    @Test func `an empty state is an empty list, which finds a failing address before an alert does`() async throws {
        try await ChannelScene.with { scene in
            _ = await Self.channel(scene, [scene.server.baseURL]).post(Self.state(), page: nil)
            #expect(scene.requests.map(\.body) == [Array("[]".utf8)])
        }
    }

    @Test(arguments: [
        (Credentials.token(Secret("t0ken")), "Bearer t0ken"),
        (.user("anna", password: Secret("t0ken")), "Basic YW5uYTp0MGtlbg=="),
    ])
    func `authorization`(credentials: Credentials, header: String) async throws {
        try await ChannelScene.with(.init(status: 401, text: "bad \(header)")) { scene in
            let channel = Self.channel(scene, [scene.server.baseURL], credentials: credentials)
            let answers = await channel.post(Self.state([Told.event()]), page: nil)
            #expect(scene.requests.first?.headers["authorization"] == header)
            let host = Secret(scene.server.baseURL).hostAndPort ?? ""
            #expect(
                answers.addresses == [
                    .init(
                        host: host,
                        .failed(
                            cause: "send to cluster (alertmanager \(host)): 401 Unauthorized: \"bad ***\" "
                                + "(check token, or user and password)"))
                ])
        }
    }

    @Test func `each address answers for itself, and one that hangs delays the others' answers to the limit alone`()
        async throws
    {
        let closed = try ClosedPort()
        let hanging = try await ChannelScene { _ in .hang }
        try await ChannelScene.with(.json("{\"message\": \"bad label\"}", status: 400)) { invalid in
            try await ChannelScene.using(hanging) { hanging in
                try await ChannelScene.with { good in
                    let urls = [
                        good.server.baseURL, "http://127.0.0.1:\(closed.number)", invalid.server.baseURL,
                        hanging.server.baseURL,
                    ]
                    let state = Self.state([Told.event()], limit: .milliseconds(300))
                    let answers = await Self.channel(good, urls).post(state, page: nil)
                    #expect(answers.addresses.map(\.host) == urls.map { Secret($0).hostAndPort })
                    let causes = answers.addresses.map { address in
                        switch address.outcome {
                        case .taken: "taken"
                        case .refused(let cause): "refused: \(cause)"
                        case .failed(let cause): "failed: \(cause)"
                        case .interrupted: "interrupted"
                        }
                    }
                    #expect(causes[0] == "taken")
                    let refused = "send to cluster (alertmanager 127.0.0.1:\(closed.number)): no connection: "
                    #expect(causes[1].hasPrefix("failed: \(refused)"))
                    #expect(causes[2].hasPrefix("refused: ") && causes[2].hasSuffix("400 Bad Request: bad label"))
                    #expect(causes[3].hasPrefix("failed: ") && causes[3].hasSuffix("no answer within 300ms"))
                }
            }
        }
    }

    @Test func `an alert that was missed fires for a short while, and says so in the zone's times`() async throws {
        let event = Told.event(
            kind: .resolved, reason: .conditionEnded, at: Told.now - .minutes(3), since: Told.now - .minutes(10))
        try await ChannelScene.with { scene in
            let channel = Self.channel(scene, ["http://127.0.0.1:1", scene.server.baseURL])
            let zone = try #require(Zone(named: "CET"))
            let answer = try await channel.deliver(Message(id: "m", events: [event], zone: zone))
            #expect(
                answer.hasPrefix("send to cluster (alertmanager 127.0.0.1:1): ") && answer.hasSuffix(": 200 OK: \"{}\"")
            )
            let alert = try #require(try Self.alerts(scene).first)
            #expect(alert["startsAt"] as? String == "2026-11-21T09:50:00.000Z")
            #expect(alert["endsAt"] as? String == "2026-11-21T10:06:00.000Z")
            let summary = (alert["annotations"] as? [String: String])?["summary"] ?? ""
            #expect(
                summary.hasSuffix(
                    "; fired from 2026-11-21 10:50:00 to 10:57:00 CET while no Alertmanager could be reached"))
        }
    }

    @Test func `notify-test sends a test alert to each address and shows each answer`() async throws {
        try await ChannelScene.with { first in
            try await ChannelScene.with(.init(status: 204)) { second in
                let hosts = [first, second].compactMap { Secret($0.server.baseURL).hostAndPort }
                func send(to urls: [String]) async throws -> String {
                    let cluster = Alertmanagers(urls: urls.map { Secret($0) }, labels: ["team": "treasury"])
                    return try await NotifyTest.send(
                        to: "cluster", of: [.init(routing: .init(name: "cluster"), address: .alertmanager(cluster))],
                        host: "box", now: Told.now, transport: first.transport)
                }
                let answer = try await send(to: [first.server.baseURL, second.server.baseURL])
                #expect(answer == "\(hosts[0]): 200 OK: \"{}\"; \(hosts[1]): 204 No Content")
                let alert = try #require(try Self.alerts(second).first)
                let labels = alert["labels"] as? [String: String]
                #expect(labels?["alertname"] == "pricewatch-test" && labels?["team"] == "treasury")
                #expect(labels?["test"]?.hasPrefix("test-") == true)
                #expect(alert["endsAt"] as? String == "2026-11-21T10:06:00.000Z")
                let error = try await #expect(throws: CommandError.self) {
                    try await send(to: [first.server.baseURL, "http://127.0.0.1:1"])
                }.unwrapped()
                #expect(error.exitCode == Exit.noAnswer)
                #expect(error.description.hasPrefix("\(hosts[0]): 200 OK: \"{}\"; send to cluster (alertmanager 127.0"))
            }
        }
    }
}
