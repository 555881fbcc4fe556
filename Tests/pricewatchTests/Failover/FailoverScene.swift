import Engine
import Feeds
import Foundation
import History
import MarketSimulator
import Markets
import Synchronization
import TestSupport

@testable import pricewatch

/// A daemon with two servers on loopback, of which the preferred one is ill at times. Time is stepped a minute at a time,
/// with a poll in each; a request is late when the server leaves it hanging, and never before.
final class FailoverScene {
    let scene: CycleScene
    private let spare: CoinGeckoSimulator
    private let preferred: PreferredServer
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
        scene = try await CycleScene(
            """
            watch: \(watch)
            builtin_alerts: false
            """, script: script,
            preferred: "provider: \(health.provider), name: first",
            feeds: #", {provider: coingecko, name: spare, url: "\#(spare.baseURL)"}"#, time: time)
        preferred = try PreferredServer(scene.simulator)
        scene.reaching = { [preferred] in Switchboard(network: $0, preferred: preferred) }
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
            var outcome: PollOutcome?
            if case .polled(let ended, recorded: true) = await scene.cycle?.turn() { outcome = ended }
            polls.append((outcome, try StatusDocument(parsing: Data(scene.status.utf8)).lastPoll?.feed))
            scene.time.step(.minutes(1))
        }
    }

    /// Which feed served each poll: `1` the preferred one, `2` the other.
    var served: String { polls.map { $0.feed == "first" ? "1" : "2" }.joined() }

    /// Requests to the preferred feed, whether they reached it or not.
    var asked: Int { preferred.asked }

    /// What the other one was asked.
    var spareTargets: [String] { spare.requests.map(\.request.target) }

    func lines(_ event: String) -> [Substring] {
        scene.log.split(separator: "\n").filter { $0.contains(" \(event) ") }
    }

    /// The feed of each recorded sample, as `served`.
    func recorded() throws -> String {
        var feeds = ""
        try HistoryReader(at: scene.database).samples(of: MarketID("bitcoin"), in: .usd, since: nil, until: nil) {
            feeds += $0.feed == "first" ? "1" : "2"
        }
        return feeds
    }

    func status() throws -> StatusDocument { try StatusDocument(parsing: Data(scene.status.utf8)) }

    func finish() async {
        await scene.finish()
        await preferred.stop()
        await spare.stop()
    }
}

/// The preferred feed's server, which can also be out of reach.
private final class PreferredServer: Sendable {
    private let server: CoinGeckoSimulator
    private let network: NetworkTransport
    private let illness = Mutex(FailingWay.Illness.faults([]))
    /// Requests that went elsewhere.
    private let lost = Mutex(0)

    init(_ server: CoinGeckoSimulator) throws {
        self.server = server
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

    func isMeant(by request: WireRequest) -> Bool { request.url.hasPrefix(server.baseURL) }

    func exchange(_ request: WireRequest, by others: NetworkTransport) async throws(TransportFault) -> HTTPAnswer {
        guard case .unreachable(let url) = illness.withLock(\.self) else {
            return try await network.exchange(request, within: .hours(1))
        }
        lost.withLock { $0 += 1 }
        var request = request
        request.url = request.url.replacing(
            server.baseURL, with: url.replacing("PORT", with: "\(server.port)"))
        return try await others.exchange(request, within: .hours(1))
    }

    func stop() async { await network.shutdown() }
}

private struct Switchboard: HTTPTransport {
    let network: NetworkTransport
    let preferred: PreferredServer

    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        guard preferred.isMeant(by: request) else { return try await network.exchange(request, within: .hours(1)) }
        return try await preferred.exchange(request, by: network)
    }
}
