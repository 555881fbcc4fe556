import Engine
import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// What the daemon raised live, a rehearsal over its database finds again, one for one.
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

        """

    @Test(
        "unknowns, failures, waits, gaps, restarts, reloads and a changing watchlist",
        arguments: [1, 6, 8, 21] as [UInt64])
    func sameEvents(seed: UInt64) async throws {
        let scene = try await play(400, Weather(seed: seed), seed: seed)
        let reader = try HistoryReader(at: scene.database)
        #expect(try Befallen(reader).isComplete)
        try compare(scene, atLeast: 12)
        await scene.finish()
    }

    @Test(
        "windows know what was healed from the same turn on, and what changed in a gap is as late", arguments: [5, 12])
    func healed(seed: UInt64) async throws {
        let scene = try await play(250, Weather(seed: seed, heals: true), seed: seed)
        let reader = try HistoryReader(at: scene.database)
        #expect(try Befallen(reader).recalls > 2)
        #expect(try Self.lateByHealed(reader) > 0, "no event was late by a healed price")
        try compare(scene, atLeast: 10)
        await scene.finish()
    }

    @Test("a market with a feed of its own is judged when that feed answers")
    func ownFeed() async throws {
        var weather = Weather(seed: 9)
        let lanes = try await LaneScene(
            """
            alerts:
              - {name: high, market: AAPL, above: 191, for: 5m}
              - {name: moves, markets: all, moves: 1%, within: 1h, repeat: 20m}
              - {name: low, markets: all, new_low: 30m}
              - {name: often, markets: all, above: 190, repeat: 20m}
              - {name: quiet, markets: all, stale: 12m}
            """, prices: (0..<40).map { "\(186 + ($0 * 7) % 11)" }, feed: "every: 5m, stale_after: 8m")
        try await lanes.scene.start()
        for _ in 0..<300 {
            lanes.stocks.setFaults(weather.chance(4) ? [.status(500)] : weather.chance(9) ? [.nullPrices()] : [])
            lanes.scene.simulator.setFaults(weather.chance(12) ? [.status(500)] : [])
            await lanes.scene.poll()
            if weather.chance(40) {
                await lanes.scene.stop()
                if weather.chance(2) { lanes.scene.time.step(.minutes(40)) }
                try await lanes.scene.start()
            }
        }
        let reader = try HistoryReader(at: lanes.scene.database)
        #expect(try Befallen(reader).own > 30)
        try compare(lanes.scene, atLeast: 5)
        await lanes.finish()
    }

    /// So many turns of a daemon, and what befalls it between them.
    private func play(_ turns: Int, _ weather: Weather, seed: UInt64) async throws -> CycleScene {
        var weather = weather
        let scene = try await CycleScene(
            Self.rules + weather.watchlist(), script: try weather.prices(), seed: seed,
            stepsEvery: seed.isMultiple(of: 2) ? .minutes(2) : nil)
        try await scene.start()
        for _ in 0..<turns {
            scene.simulator.setFaults(try weather.faults())
            await scene.poll()
            switch weather.event() {
            case .nothing: break
            case .gap(let length): scene.time.step(length)
            case .healing(let gap, let healings):
                scene.time.step(gap)
                // Beside the daemon, which takes it in two turns later.
                let desk = try HealingDesk(at: scene.database)
                for healing in healings(scene.time.now()) { _ = try desk.heal(healing) }
                await scene.poll(2)
            case .reload: try await scene.reload(Self.rules + weather.watchlist())
            case .restart(let length):
                await scene.stop()
                scene.time.step(length)
                try await scene.start()
            }
        }
        return scene
    }

    private func compare(_ scene: CycleScene, atLeast rules: Int) throws {
        let reader = try HistoryReader(at: scene.database)
        let live = try reader.events(since: .distantPast).map(Said.init)
        let configuration = try scene.configuration
        let report = try RehearsalReport(
            playing: reader, through: configuration.alertRules, configuration, since: .distantPast)
        let rehearsed = report.rules.flatMap(\.events).map(Said.init)
        let (missed, invented) = (Set(live).subtracting(rehearsed), Set(rehearsed).subtracting(live))
        #expect(missed.isEmpty, "\(missed.sorted().prefix(6).map(\.text).joined(separator: "\n"))")
        #expect(invented.isEmpty, "\(invented.sorted().prefix(6).map(\.text).joined(separator: "\n"))")
        #expect(rehearsed.count == live.count)
        let spoke = Set(live.map(\.event.rule))
        #expect(spoke.count >= rules, "some rule had nothing to say: \(spoke)")
    }

    /// Events that came later than the poll that told of them, and not by the whole gap.
    private static func lateByHealed(_ reader: HistoryReader) throws -> Int {
        let late = try reader.events(since: .distantPast).filter { $0.lateSeconds != nil }
        return try late.count { event in
            let healed = try reader.healedPrices(in: .usd, since: .distantPast, until: event.at)[event.market] ?? []
            return healed.contains { Int(event.at.since($0.quotedAt).components.seconds) == event.lateSeconds }
        }
    }
}

/// An event without what may differ.
private struct Said: Hashable, Comparable {
    private(set) var event: AlertEvent

    init(_ event: AlertEvent) {
        self.event = event
        self.event.id = ""
        self.event.host = ""
        self.event.symbol = ""
        self.event.name = ""
    }

    static func < (left: Said, right: Said) -> Bool { left.event.at < right.event.at }

    var text: String {
        "\(event.at.utcText) \(event.kind.rawValue) \(event.reason.rawValue) \(event.rule) \(event.market) "
            + "\(event.price?.description ?? "-") \(event.since?.utcText ?? "-") \(event.lateSeconds ?? -1)"
    }
}

/// What a record is to hold, so that the comparison means something.
private struct Befallen {
    private(set) var recalls = 0, own = 0
    private var starts = 0, waits = 0, failures = 0, unknown = 0, doubted = 0, watchlists = 0

    init(_ reader: HistoryReader) throws {
        var seen = self
        try reader.play(try reader.replay(in: .usd, since: .distantPast)) { turn in
            if turn.watched != nil { seen.watchlists += 1 }
            switch turn.kind {
            case .start: seen.starts += 1
            case .recalled: seen.recalls += turn.bringsHealed ? 1 : 0
            case .healed: break
            case .waiting: seen.waits += 1
            case .polls(let polls):
                seen.own += polls.count { $0.lane != .shared }
                seen.failures += polls.count { $0.outcome == .failed }
                seen.unknown += polls.reduce(0) { $0 + $1.unknown.count }
                seen.doubted += polls.reduce(0) { $0 + $1.unknown.count { $0.reason == .unconfirmed } }
            }
        }
        self = seen
    }

    var isComplete: Bool {
        [starts, waits, failures, doubted, watchlists].allSatisfy { $0 > 2 } && unknown > 20
    }
}

/// What befalls a daemon, by chance that repeats itself.
private struct Weather {
    private var state: UInt64

    enum Event {
        case nothing, reload
        case gap(Duration)
        /// After a gap.
        case healing(Duration, (Date) -> [Healing])
        case restart(Duration)
    }

    /// What nobody saw is healed, and nothing else befalls it but gaps.
    private let heals: Bool

    init(seed: UInt64, heals: Bool = false) {
        self.heals = heals
        state = seed &* 0x9E37_79B9_7F4A_7C15
    }

    /// Once in so many times.
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
        return "watch: {markets: [a, b\(more.map { ", " + $0 }.joined())], top: \([0, 3, 6][below(3)])}\n"
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

    /// Prices of some markets, minutes apart, of all that nobody saw in the last hours.
    private mutating func healings() -> (Date) -> [Healing] {
        let quotes = Self.ids.map { id in (id, (0..<60).map { _ in "\(95 + below(10)).\(below(1000))" }) }
        return { now in
            quotes.compactMap { id, texts in
                guard let market = try? MarketID(id) else { return nil }
                let past = texts.enumerated().compactMap { step, text in
                    Price(parsing: text).map { PastQuote(quotedAt: now - .minutes(step * 5 + 3), price: $0) }
                }
                return Healing(
                    market: market, currency: .usd, feed: "past", fetchedAt: now,
                    holes: Holes([(now - .hours(5))..<(now - .minutes(2))]), quotes: past)
            }
        }
    }

    mutating func event() -> Event {
        if heals {
            switch below(30) {
            case 0: return .gap(.minutes(below(60)))
            case 1: return .healing(.minutes(below(40)), healings())
            default: return .nothing
            }
        }
        return switch below(60) {
        case 0: .gap(.minutes(below(25)))
        case 1: .restart(.zero)
        case 2: .restart(.minutes(below(90)))
        case 3: .reload
        default: .nothing
        }
    }
}
