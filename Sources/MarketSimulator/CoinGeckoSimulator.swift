import Foundation
import Markets
import Synchronization

/// A simulated CoinGecko on loopback, with faults on demand.
package final class CoinGeckoSimulator: Sendable {
    private struct State {
        /// The next one first.
        var faults: [Fault]
        var walk: Walk
        var requestCount = 0
        var requests: [SeenRequest] = []
        var watchers: [AsyncStream<Int>.Continuation] = []

        mutating func takeFault() -> Fault {
            guard !faults.isEmpty else { return .ok }
            faults.append(faults.removeFirst())
            return faults[faults.count - 1]
        }

        mutating func append(_ request: SeenRequest) {
            requestCount += 1
            // Cut rarely, so that cutting costs nothing per request.
            if requests.count == 20_000 { requests.removeFirst(10_000) }
            requests.append(request)
            watchers.removeAll { watcher in
                if case .terminated = watcher.yield(requestCount) { true } else { false }
            }
        }
    }

    private let book: PriceBook
    private let state: Mutex<State>
    /// Nil: without a socket, used by `reply(to:)` only.
    private let server = Mutex<LoopbackServer?>(nil)
    private let now: @Sendable () -> Date

    /// Without a socket, for `reply(to:)`; the parameters are those of `start`.
    package init(
        seed: UInt64 = 1, markets: Int = 250, script: [MarketID: [Price]] = [:], stepsEvery: Duration? = nil,
        faults: [Fault] = [], now: @escaping @Sendable () -> Date = { Date() }
    ) {
        book = PriceBook(seed: seed, count: markets, script: script)
        state = Mutex(State(faults: faults, walk: Walk(stepsEvery: stepsEvery)))
        self.now = now
    }

    /// Listens on loopback and replies until `stop`.
    /// - Parameters:
    ///   - port: 0: the system chooses a free one.
    ///   - seed: the same seed gives the same prices in the n-th reply.
    ///   - markets: how many there are: well-known ones by market cap, then `market-21` and so on.
    ///   - script: prices in USD per step, cycling, in place of the walk; an id that is no market becomes one.
    ///   - stepsEvery: how long prices stay; nil: each reply with a first page of `coins/markets` makes a step.
    ///   - faults: one per request on any path, repeated from the first; empty: none.
    ///   - now: the simulated clock, for `last_updated`, `Date` and the past.
    package static func start(
        port: Int = 0, seed: UInt64 = 1, markets: Int = 250, script: [MarketID: [Price]] = [:],
        stepsEvery: Duration? = nil, faults: [Fault] = [], now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(LoopbackServer.StartError) -> CoinGeckoSimulator {
        let simulator = CoinGeckoSimulator(
            seed: seed, markets: markets, script: script, stepsEvery: stepsEvery, faults: faults, now: now)
        // Weak, so that the server ends with the simulator.
        let server = try await LoopbackServer.start(port: port) { [weak simulator] request in
            simulator?.reply(to: request) ?? .hang
        }
        simulator.server.withLock { $0 = server }
        return simulator
    }

    /// Ends the listener and all connections, hanging ones at once.
    package func stop() async { await server.withLock(\.self)?.stop() }

    /// 0 if it does not listen.
    package var port: Int { server.withLock { $0?.port ?? 0 } }

    /// `http://127.0.0.1:PORT/api/v3`.
    package var baseURL: String { (server.withLock { $0?.baseURL } ?? "http://127.0.0.1:1") + "/api/v3" }

    /// The reply to a request, with or without a socket.
    package func reply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let now = now()
        let fault = state.withLock { state in
            let fault = state.takeFault()
            state.append(SeenRequest(at: now, request: request, fault: fault))
            return fault
        }
        var reply = fault.reply {
            let isFirstPage = request.path == "/api/v3/coins/markets" && (request.query["page"] ?? "1") == "1"
            let position = state.withLock { $0.walk.position(isFirstPage: isFirstPage, now: now) }
            return CoinGeckoAPI(book: book, position: position, now: now, fault: fault).reply(to: request)
        }
        if let tag = reply.headers["ETag"], request.headers["if-none-match"] == tag { reply.status = 304 }
        if reply.headers["Date"] == nil { reply.headers["Date"] = now.httpText }
        return reply
    }

    /// By market cap, largest first.
    package var markets: [SimulatedMarket] { book.markets }

    /// The price in USD that the reply of `step` (0 is the first) has for a market; nil for an unknown one.
    package func price(of market: MarketID, step: Int) -> Price? {
        book.market(market).map { book.price(of: $0, step: step) }
    }

    /// The price in USD that a market chart has at `time`; nil for an unknown market.
    package func price(of market: MarketID, at time: Date) -> Price? {
        book.market(market).map { book.price(of: $0, at: time) }
    }

    /// How many requests came in, faulty ones included.
    package var requestCount: Int { state.withLock(\.requestCount) }

    /// The newest requests, at least the last 10,000, oldest first.
    package var requests: [SeenRequest] { state.withLock(\.requests) }

    /// Returns once `count` requests have come in, or when the task is cancelled.
    package func waitUntilSeen(_ count: Int) async {
        let (counts, watcher) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            watcher.yield(state.requestCount)
            state.watchers.append(watcher)
        }
        defer { watcher.finish() }
        for await seen in counts where seen >= count { return }
    }

    /// Replaces the faults from the next request on, beginning with the first.
    package func setFaults(_ faults: [Fault]) {
        state.withLock { $0.faults = faults }
    }
}

/// A request that the simulator saw.
package struct SeenRequest: Sendable, Hashable {
    /// By the simulated clock.
    package let at: Date
    package let request: LoopbackServer.Request
    package let fault: Fault
}

extension Date {
    /// `Sat, 21 Nov 2026 10:00:00 GMT`; the program sets no locale, so the names are English.
    fileprivate var httpText: String {
        var seconds = time_t(timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 40)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(count).map(UInt8.init), as: UTF8.self)
    }
}
