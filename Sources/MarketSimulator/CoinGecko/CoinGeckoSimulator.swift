public import Foundation
public import Markets
internal import Synchronization

/// A market of our own that speaks as CoinGecko does, on loopback, with faults on demand.
///
/// It answers, below `/api/v3`: `ping`, `coins/list`, `coins/markets`, `coins/{id}/market_chart` (also
/// `/range`) and `simple/supported_vs_currencies`.
public final class CoinGeckoSimulator: Sendable {
    public struct Configuration: Sendable {
        /// 0: the system chooses a free one.
        public var port: Int
        /// The same seed gives the same prices in the n-th answer.
        public var seed: UInt64
        /// How many markets there are: forty well-known ones by market cap, then `market-41` and so on.
        public var markets: Int
        /// Prices in USD per step, cycling, in place of the walk; an id that is no market becomes one.
        public var script: [MarketID: [Price]]
        /// How long prices stand still; nil: each answered first page of `coins/markets` makes a step.
        public var stepsEvery: Duration?
        /// Walked through request by request, whatever the path, and then again; empty: no faults.
        public var faults: [Fault]
        /// The simulated clock: `last_updated`, `Date` and the past come from it.
        public var now: @Sendable () -> Date

        public init(
            port: Int = 0, seed: UInt64 = 1, markets: Int = 250, script: [MarketID: [Price]] = [:],
            stepsEvery: Duration? = nil, faults: [Fault] = [], now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.port = port
            self.seed = seed
            self.markets = markets
            self.script = script
            self.stepsEvery = stepsEvery
            self.faults = faults
            self.now = now
        }
    }

    private let server: LoopbackServer
    private let core: SimulatorCore

    private init(server: LoopbackServer, core: SimulatorCore) {
        self.server = server
        self.core = core
    }

    /// Listens on loopback and answers until `stop`.
    public static func start(
        _ configuration: Configuration = Configuration()
    ) async throws(LoopbackServer.StartError) -> CoinGeckoSimulator {
        let core = SimulatorCore(configuration)
        let server = try await LoopbackServer.start(port: configuration.port) { core.reply(to: $0) }
        return CoinGeckoSimulator(server: server, core: core)
    }

    /// Ends the listener and all connections, hanging ones at once.
    public func stop() async { await server.stop() }

    public var port: Int { server.port }

    /// `http://127.0.0.1:PORT/api/v3`.
    public var baseURL: String { server.baseURL + "/api/v3" }

    /// By market cap, largest first.
    public var markets: [SimulatedMarket] { core.book.markets }

    /// The price in USD that the answer of `step` (0 is the first) has for a market; nil for an unknown one.
    public func price(of market: MarketID, step: Int) -> Price? {
        core.book.rank(of: market).map { core.book.price(of: core.book.markets[$0 - 1], step: step) }
    }

    /// How many requests came in, faulty ones included.
    public var requestCount: Int { core.log.count }

    /// The newest requests, 10,000 at most, oldest first.
    public var requests: [SeenRequest] { core.log.newest }

    /// Returns once `count` requests have come in, or when the task is cancelled.
    public func waitUntilSeen(_ count: Int) async { await core.log.waitUntilSeen(count) }

    /// From the next request on, these faults, from the first.
    public func setFaults(_ faults: [Fault]) { core.setFaults(faults) }
}
