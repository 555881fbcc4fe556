import Engine
import Foundation
import HTTP
import History
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import pricewatch

/// What the daemon announced live, a rehearsal over its database announces again.
@Suite struct SameAsLiveTests {
    static let rules = """
        builtin_alerts: true
        alerts:
          - {name: level, market: a, above: 103, clear: 102, for: 2m, keep_firing_for: 3m, repeat: 10m}
          - {name: below, markets: all, below: 97, repeat: 5m}
          - {name: peg, market: b, outside: [96, 104], clear: 100, for: 1m}
          - {name: rises, markets: all, rises: 2%, within: 15m, repeat_on_move: 1%}
          - {name: falls, markets: all, falls: 3%, within: 30m, keep_firing_for: 5m}
          - {name: moves, market: b, moves: 2.5%, within: 10m}
          - {name: high, markets: all, new_high: 30m}
          - {name: low, markets: all, new_low: 1h, for: 1m}
          - {name: quiet, markets: all, stale: 6m}
          - {name: first, markets: all, above: 101, once: true}
          - {name: short, markets: all, above: 100, expires: "2026-11-21T14:00:00Z"}
          - {name: market-stale, markets: all, stale: 4m}
          - {name: market-missing, markets: all}
          - {name: worth, market: sum, above: 301.5, clear: 301, for: 1m}
          - {name: worth-falls, market: sum, falls: 1%, within: 10m}

        """

    /// `PRICEWATCH_SEEDS=6` plays all of a test's seeds.
    private static let count = ProcessInfo.processInfo.environment["PRICEWATCH_SEEDS"].flatMap(Int.init) ?? 3

    @Test(
        "one for one: unknowns, failures, cooldowns, gaps, reloads and a changing watchlist",
        arguments: [1, 2, 6, 8, 21, 29].prefix(count))
    func sameEvents(seed: UInt64) async throws {
        let scene = try await play(400, Conditions(seed: seed), seed: seed)
        let reader = try HistoryReader(at: scene.database)
        #expect(try Recorded(reader).isComplete)
        try compare(scene, atLeast: 12)
        await scene.stop()
    }

    /// A rehearsal plays no restart. In one, the daemon forgets which markets had no price last, and nothing grows
    /// stale. So rules on the age of data may differ, and so may the price in the event of a rule that has expired or of
    /// a market that is no longer watched.
    @Test("rules on prices announce the same across restarts", arguments: [1, 2, 6, 15, 21, 29].prefix(count))
    func restarts(seed: UInt64) async throws {
        let scene = try await play(400, Conditions(seed: seed, restarts: true), seed: seed)
        #expect(scene.log("service.started").count > 2)
        try compare(scene, acrossRestarts: true, atLeast: 7)
        await scene.stop()
    }

    @Test("a market with a feed of its own is judged when that feed answers", arguments: [false, true])
    func ownFeed(restarts: Bool) async throws {
        var conditions = Conditions(seed: 9)
        let time = HandClock()
        let stocks = CoinGeckoSimulator(
            script: [try MarketID("AAPL"): (0..<40).compactMap { Price(parsing: "\(186 + ($0 * 7) % 11)") }],
            now: { time.now() })
        let scene = try DaemonScene(
            """
            watch: {markets: [bitcoin, {id: AAPL, feed: stocks}]}
            alerts:
              - {name: high, market: AAPL, above: 191, for: 5m}
              - {name: moves, markets: all, moves: 1%, within: 1h, repeat: 20m}
              - {name: low, markets: all, new_low: 30m}
              - {name: often, markets: all, above: 190, repeat: 20m}
              - {name: quiet, markets: all, stale: 12m}
            """,
            script: [try MarketID("bitcoin"): [Price(parsing: "70000"), Price(parsing: "70001")].compactMap(\.self)],
            feeds: """
                , {name: stocks, provider: json, every: 5m, stale_after: 8m,
                   url: "http://127.0.0.1:2/api/v3/coins/markets?vs_currency=usd&ids={ids}",
                   fields: {id: /id, price: /current_price, quoted_at: /last_updated}, currency: usd}
                """, time: time)
        scene.transport = TwoProviders(
            coins: SimulatedTransport(scene.simulator), stocks: SimulatedTransport(stocks))
        try await scene.start()
        for _ in 0..<300 {
            stocks.setFaults(conditions.chance(4) ? [.status(500)] : conditions.chance(9) ? [.nullPrices()] : [])
            scene.simulator.setFaults(conditions.chance(12) ? [.status(500)] : [])
            await scene.poll()
            guard conditions.chance(40) else { continue }
            if restarts { await scene.stop() }
            if conditions.chance(2) { scene.time.step(.minutes(40)) }
            if restarts { try await scene.start() }
        }
        let reader = try HistoryReader(at: scene.database)
        #expect(try Recorded(reader).own > 30)
        try compare(scene, acrossRestarts: restarts, atLeast: restarts ? 4 : 5)
        await scene.stop()
    }

    /// Polls a number of times, with what happens to a daemon between them.
    private func play(_ polls: Int, _ conditions: Conditions, seed: UInt64) async throws -> DaemonScene {
        var conditions = conditions
        let scene = try DaemonScene(
            Self.rules + conditions.watchlist(), script: try conditions.prices(), seed: seed,
            stepsEvery: seed.isMultiple(of: 2) ? .minutes(2) : nil)
        try await scene.start()
        for _ in 0..<polls {
            scene.simulator.setFaults(try conditions.faults())
            await scene.poll()
            switch conditions.event() {
            case .nothing: break
            case .gap(let length): scene.time.step(length)
            case .reload: try await scene.reload(Self.rules + conditions.watchlist())
            case .restart(let length):
                await scene.stop()
                scene.time.step(length)
                try await scene.start()
            }
        }
        return scene
    }

    private func compare(_ scene: DaemonScene, acrossRestarts: Bool = false, atLeast rules: Int) throws {
        func announced(_ events: [AlertEvent]) -> [Announced] {
            let aboutData: Set = acrossRestarts ? ["quiet", "market-stale", "market-missing", "feed-stale"] : []
            return events.filter { !aboutData.contains($0.rule) }.map { Announced($0, withoutPrice: acrossRestarts) }
        }
        let reader = try HistoryReader(at: scene.database)
        let live = announced(try reader.events(since: .distantPast))
        let configuration = try scene.configuration
        let report = try RehearsalReport(
            playing: reader, through: configuration.alertRules, configuration, since: .distantPast)
        let rehearsed = announced(report.rules.flatMap(\.events))
        let (missed, invented) = (Set(live).subtracting(rehearsed), Set(rehearsed).subtracting(live))
        #expect(missed.isEmpty, "\(missed.sorted().prefix(6).map(\.text).joined(separator: "\n"))")
        #expect(invented.isEmpty, "\(invented.sorted().prefix(6).map(\.text).joined(separator: "\n"))")
        #expect(rehearsed.count == live.count)
        let spoke = Set(live.map(\.event.rule))
        #expect(spoke.count >= rules, "some rule had nothing to say: \(spoke)")
    }
}

/// An event without what may differ.
private struct Announced: Hashable, Comparable {
    private(set) var event: AlertEvent

    /// - Parameter withoutPrice: Events that no price causes show the newest that is known, or none.
    init(_ event: AlertEvent, withoutPrice: Bool) {
        self.event = event
        let causes: Set<AlertReason> = [.expired, .unwatched]
        if withoutPrice, causes.contains(event.reason) {
            (self.event.price, self.event.quotedAt, self.event.feed) = (nil, nil, nil)
            (self.event.threshold, self.event.changePercent) = (nil, nil)
        }
        self.event.id = ""
        self.event.host = ""
        self.event.symbol = ""
        self.event.name = ""
    }

    static func < (left: Announced, right: Announced) -> Bool { left.event.at < right.event.at }

    var text: String {
        "\(event.at.utcText) \(event.kind.rawValue) \(event.reason.rawValue) \(event.rule) \(event.market) "
            + "\(event.price?.description ?? "-") \(event.since?.utcText ?? "-") \(event.lateSeconds ?? -1)"
    }
}

/// What a record is to hold, so that the comparison means something.
private struct Recorded {
    private(set) var own = 0
    private var idle = 0, failures = 0, unknown = 0, unconfirmed = 0, watchlists = 0

    init(_ reader: HistoryReader) throws {
        var seen = self
        let markets = try reader.names(in: .init(.usd), of: nil).map(\.market)
        try reader.play(markets, in: .init(.usd), since: .distantPast, withBackfilled: false) { cycle in
            if !cycle.watchChanges.isEmpty { seen.watchlists += 1 }
            if cycle.polls.isEmpty { seen.idle += 1 }
            seen.own += cycle.polls.count { $0.source != .shared }
            seen.failures += cycle.polls.count { $0.outcome == .failed }
            seen.unknown += cycle.polls.reduce(0) { $0 + $1.unknown.count }
            seen.unconfirmed += cycle.polls.reduce(0) { $0 + $1.unknown.count { $0.reason == .unconfirmed } }
        }
        self = seen
    }

    var isComplete: Bool {
        [idle, failures, unconfirmed, watchlists].allSatisfy { $0 > 2 } && unknown > 20
    }
}

/// Two providers, told apart by their ports.
private struct TwoProviders: HTTPTransport {
    let coins, stocks: SimulatedTransport

    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        try await (request.url.hasPrefix("http://127.0.0.1:2/") ? stocks : coins).exchange(request, within: timeout)
    }
}

/// What happens to a daemon, by chance that repeats itself.
private struct Conditions {
    private var state: UInt64

    enum Event {
        case nothing, reload
        case gap(Duration)
        case restart(Duration)
    }

    private let restarts: Bool

    init(seed: UInt64, restarts: Bool = false) {
        self.restarts = restarts
        state = seed &* 0x9E37_79B9_7F4A_7C15
    }

    /// Once in this many times.
    mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

    private mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }

    private static let ids = ["a", "b", "c", "d", "e", "f"]

    mutating func prices() throws -> [MarketID: [Price]] {
        var scripts: [MarketID: [Price]] = [:]
        for id in Self.ids {
            var level = 100.0
            scripts[try MarketID(id)] = (0..<500).compactMap { _ in
                // Drawn back to where it began, so that levels are crossed again and again.
                if below(4) > 0 { level += (100 - level) * 0.03 + Double(below(2001) - 1000) / 700 }
                return Price(parsing: String(format: "%.3f", level))
            }
        }
        return scripts
    }

    /// A and b are always watched, since rules name them.
    mutating func watchlist() -> String {
        let more = ["c", "d", "e", "f", "no-such"].filter { _ in below(2) == 0 }
        return
            "watch: {markets: [{id: sum, holds: {a: 1, b: 2}}, a, b\(more.map { ", " + $0 }.joined())], top: \([0, 3, 6][below(3)])}\n"
    }

    mutating func faults() throws -> [Fault] {
        let some = Set(try Self.ids.filter { _ in below(3) == 0 }.map { try MarketID($0) })
        switch below(40) {
        case 0: return [.status(500)]
        case 1: return [.reset]
        case 2: return [.nullPrices()]
        case 3, 4: return [.nullPrices(some)]
        case 5, 6: return [.missing(some)]
        case 7: return [.aged(.minutes(below(12)))]
        case 8: return [.aged(.minutes(20))]
        case 9: return [.status(429, retryAfter: 60 * below(20))]
        case 10: return [.html]
        case 11: return [.prices([try MarketID("a"): "0", try MarketID("c"): "\"n/a\""])]
        case 12: return [.error200]
        case 13, 14: return [.prices([try MarketID(Self.ids[below(6)]): "\(130 + below(3))"])]
        default: return []
        }
    }

    mutating func event() -> Event {
        switch below(60) {
        case 0: .gap(.minutes(below(25)))
        case 1: restarts ? .restart(.zero) : .gap(.minutes(below(90)))
        case 2: restarts ? .restart(.minutes(below(90))) : .reload
        case 3: .reload
        default: .nothing
        }
    }
}
