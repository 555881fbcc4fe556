import Foundation
import HTTP
import MarketSimulator
import Markets
import Synchronization
import Testing

@testable import Channels
@testable import Engine
@testable import pricewatch

/// A receiver on loopback that keeps what it is sent, and the real network to reach it.
final class ChannelScene: Sendable {
    let server: LoopbackServer
    let transport: NetworkTransport
    private let received: Received

    private final class Received: Sendable {
        let requests = Mutex<[LoopbackServer.Request]>([])
    }

    init(_ reply: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply = { _ in .json("{}") })
        async throws
    {
        let received = Received()
        self.received = received
        server = try await LoopbackServer.start { request in
            received.requests.withLock { $0.append(request) }
            return reply(request)
        }
        transport = try NetworkTransport()
    }

    var requests: [LoopbackServer.Request] { received.requests.withLock { $0 } }

    func channel(
        _ service: HTTPService, timeout: Duration = .seconds(10), now: Date = Told.now
    ) -> some Channel {
        HTTPChannel(name: "ops", service: service, transport: transport, timeout: timeout, now: { now })
    }

    func finish() async {
        await transport.shutdown()
        await server.stop()
    }

    /// Runs `body` with a receiver that always replies the same, and is gone afterwards.
    static func with<T>(
        _ reply: LoopbackServer.Reply = .json("{}"), _ body: (ChannelScene) async throws -> T
    ) async throws -> T {
        try await using(ChannelScene { _ in reply }, body)
    }

    static func using<T>(_ scene: ChannelScene, _ body: (ChannelScene) async throws -> T) async throws -> T {
        do {
            let result = try await body(scene)
            await scene.finish()
            return result
        } catch {
            await scene.finish()
            throw error
        }
    }
}

extension LoopbackServer.Request {
    func object() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    }
}

/// What to send.
enum Told {
    /// 2026-11-21T10:00:00Z
    static let now = Date(timeIntervalSince1970: 1_795_255_200)

    static func event(
        _ condition: AlertRule.Condition = .below(price("60000")), price: String? = "59990", change: String? = nil,
        threshold: String? = nil, kind: AlertEvent.Kind = .firing, reason: AlertReason = .firstFiring,
        rule: String = "btc-below-60k", market: String = "bitcoin", symbol: String = "btc", name: String = "Bitcoin",
        severity: AlertRule.Severity = .warning, note: String? = nil, at: Date = now, quotedAt: Date? = now,
        since: Date? = now, late: Int? = nil
    ) -> AlertEvent {
        AlertEvent(
            id: "0123456789abcdef", kind: kind, reason: reason, rule: rule, market: id(market), symbol: symbol,
            name: name, currency: .usd, severity: severity, note: note, condition: condition,
            price: price.map(Told.price), threshold: threshold.map(Told.price),
            changePercent: change.flatMap { Decimal(wholeText: $0) }.flatMap(Percent.init(rounding:)), at: at,
            quotedAt: quotedAt, since: since, lateSeconds: late, feed: "coingecko", host: "box")
    }

    static func message(_ events: AlertEvent...) -> Message { Message(id: "m-1", events: events) }

    static let note = Message(
        id: "n-1",
        note: Note(kind: .test, title: "pricewatch: this is a test", lines: ["one", "two"], at: now, host: "box"))

    /// Known good in every use.
    static func price(_ text: String) -> Price {
        guard let price = Price(parsing: text) else { preconditionFailure("\(text) is no price") }
        return price
    }

    static func id(_ text: String) -> MarketID {
        guard let id = try? MarketID(text) else { preconditionFailure("\(text) is no market id") }
        return id
    }
}

extension AlertRule.Condition: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let condition = Self(reading: text) else { preconditionFailure("\(text) is no condition") }
        self = condition
    }
}
