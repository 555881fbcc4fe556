import Engine
import Feeds
import Foundation
import HTTP
import History
import MarketSimulator
import Markets
import Synchronization
import TestSupport

@testable import pricewatch

/// A daemon with two servers on loopback, of which the preferred one is ill at times. Time is stepped a minute at a time,
/// with a poll in each. A request is late when the server leaves it hanging, and never before.
final class FailoverScene {
    let scene: DaemonScene
    private let spare: CoinGeckoSimulator
    private let preferred: PreferredServer
    private let network: NetworkTransport
    private let health: Health
    /// How each poll ended, and by whom it was served.
    private(set) var polls: [(outcome: PollOutcome?, feed: String?)] = []

    init(
        _ health: Health,
        watch: String = "{markets: [{id: bitcoin, binance: BTCUSDT, kraken: XBTUSD, coinmarketcap: 1}]}"
    ) async throws {
        self.health = health
        let time = HandClock()
        let script = [try MarketID("bitcoin"): [Price(parsing: "60000"), Price(parsing: "60001")].compactMap(\.self)]
        spare = try await CoinGeckoSimulator.start(script: script, now: { time.now() })
        let server = try await CoinGeckoSimulator.start(script: script, now: { time.now() })
        scene = try DaemonScene(
            """
            watch: \(watch)
            builtin_alerts: false
            """, script: [:],
            preferred: "provider: \(health.provider), name: first",
            feeds: #", {provider: coingecko, name: spare, url: "\#(spare.baseURL)"}"#, time: time)
        network = try NetworkTransport(time: StalledTime())
        preferred = try PreferredServer(server, at: scene.simulator.baseURL)
        scene.transport = Switchboard(network: network, preferred: preferred)
        try await scene.start()
    }

    /// How the preferred feed's server answers, well and ill.
    struct Health {
        var provider = "coingecko"
        var well: @Sendable (_ now: Date) -> Fault = { _ in .ok }
        var ill: FailingWay.Illness
    }

    /// One poll a minute, whose preferred feed is ill where `isIll` says so of its number, from 0.
    func poll(_ count: Int, isIll: (Int) -> Bool = { _ in false }) async throws {
        for _ in 0..<count {
            preferred.set(isIll(polls.count) ? health.ill : .faults([health.well(scene.time.now())]))
            await scene.wake()
            var outcome: PollOutcome?
            if case .polled(let ended, recorded: true) = await scene.daemon?.engine.ending { outcome = ended }
            polls.append((outcome, try scene.status().lastPoll?.feed))
            scene.time.step(.minutes(1))
        }
    }

    /// Which feed served each poll: `1` the preferred one, `2` the other.
    var served: String { polls.map { $0.feed == "first" ? "1" : "2" }.joined() }

    /// Requests to the preferred feed, whether they reached it or not.
    var asked: Int { preferred.asked }

    /// What the other one was asked.
    var spareTargets: [String] { spare.requests.map(\.request.target) }

    func lines(_ event: String) -> [Substring] { scene.log(event) }

    /// The feed of each recorded sample, as `served`.
    func recorded() throws -> String {
        var feeds = ""
        try HistoryReader(at: scene.database).samples(of: MarketID("bitcoin"), in: .usd, since: nil, until: nil) {
            feeds += $0.feed == "first" ? "1" : "2"
        }
        return feeds
    }

    func status() throws -> StatusReport { try scene.status() }

    func finish() async {
        await scene.stop()
        await preferred.stop()
        await network.shutdown()
        await spare.stop()
    }
}

/// The preferred feed's server, which can also be out of reach.
private final class PreferredServer: Sendable {
    private let server: CoinGeckoSimulator
    /// The address that the configuration has for it.
    private let address: String
    private let network: NetworkTransport
    private let illness = Mutex(FailingWay.Illness.faults([]))
    /// Requests that went elsewhere.
    private let lost = Mutex(0)

    init(_ server: CoinGeckoSimulator, at address: String) throws {
        self.server = server
        self.address = address
        network = try NetworkTransport(time: StalledTime(server))
    }

    func set(_ next: FailingWay.Illness) {
        illness.withLock { illness in
            guard next != illness else { return }
            illness = next
            if case .faults(let faults) = next { server.setFaults(faults) }
        }
    }

    var asked: Int { server.requestCount + lost.withLock(\.self) }

    func isMeant(by request: WireRequest) -> Bool { request.url.hasPrefix(address) }

    func exchange(_ request: WireRequest, by others: NetworkTransport) async throws(TransportFault) -> HTTPAnswer {
        var request = request
        guard case .unreachable(let url) = illness.withLock(\.self) else {
            request.url = request.url.replacing(address, with: server.baseURL)
            return try await network.exchange(request, within: .hours(1))
        }
        lost.withLock { $0 += 1 }
        request.url = request.url.replacing(address, with: url.replacing("PORT", with: "\(server.port)"))
        return try await others.exchange(request, within: .hours(1))
    }

    func stop() async {
        await network.shutdown()
        await server.stop()
    }
}

private struct Switchboard: HTTPTransport {
    let network: NetworkTransport
    let preferred: PreferredServer

    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        guard preferred.isMeant(by: request) else { return try await network.exchange(request, within: .hours(1)) }
        return try await preferred.exchange(request, by: network)
    }
}
