import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import Channels
@testable import Engine
@testable import pricewatch

/// The amounts of a portfolio are edited, and the market does not move.
@Suite struct EditedAmountsTests {
    private static let rules = """
        builtin_alerts: false
        alerts:
          - {name: below, market: savings, below: 20000}
          - {name: above, market: savings, above: 50000, for: 2m}
          - {name: outside, market: savings, outside: [25000, 45000]}
          - {name: falls, market: savings, falls: 5%, within: 10m}
          - {name: moves, markets: all, moves: 3%, within: 20m}
          - {name: low, market: savings, new_low: 10m}
          - {name: high, market: savings, new_high: 10m}

        """

    private static func portfolio(_ bitcoin: String, _ ethereum: String, _ more: String = "") -> String {
        "watch: {markets: [{id: savings, holds: {bitcoin: \(bitcoin), ethereum: \(ethereum)}\(more)}]}\n"
    }

    /// Half a bitcoin and three of ethereum are worth 36,000. The last price of bitcoin stays.
    private func scene(
        _ rules: String = rules, bitcoin: [String] = ["60000"], more: String = ""
    ) throws -> DaemonScene {
        try DaemonScene(
            rules + Self.portfolio("0.5", "3", more),
            script: [
                try MarketID("bitcoin"): (bitcoin + Array(repeating: bitcoin.last ?? "", count: 200))
                    .compactMap { Price(parsing: $0) },
                try MarketID("ethereum"): [Price(parsing: "2000")].compactMap(\.self),
            ])
    }

    private func edit(_ scene: DaemonScene, _ configuration: String, restarting: Bool) async throws {
        if restarting {
            await scene.stop()
            try await scene.restart(configuration)
        } else {
            try await scene.reload(configuration)
        }
    }

    private func events(_ scene: DaemonScene) throws -> [String] {
        try HistoryReader(at: scene.database).events(since: .distantPast).map {
            "\($0.rule) \($0.market) \($0.kind.rawValue) \($0.reason.word) \($0.price?.description ?? "-")"
        }
    }

    private func market(_ id: String, _ scene: DaemonScene) throws -> StatusReport.Market {
        try #require(try scene.status().markets.first { $0.market.text == id })
    }

    @Test("they fire nothing, whatever the rule", arguments: [false, true], ["0.25 1.5", "1 6", "0.0005 0.003"])
    func nothingFires(restarting: Bool, amounts: String) async throws {
        let scene = try scene()
        try await scene.start()
        await scene.poll(25)
        let edited = amounts.split(separator: " ").map(String.init)
        try await edit(scene, Self.rules + Self.portfolio(edited[0], edited[1]), restarting: restarting)
        await scene.poll(5)
        // A second restart, with the new amounts, is none of an edit.
        await scene.stop()
        try await scene.start()
        await scene.poll(30)
        #expect(try events(scene) == [])
        #expect(scene.log("price.unconfirmed").isEmpty)
        #expect(try market("savings", scene).state == .fresh)
        await scene.stop()
    }

    @Test("the first move of the market fires again", arguments: [false, true])
    func firesAgain(restarting: Bool) async throws {
        // Half the amounts are worth 18,000: below the level by the edit, above it by a rise, below it by a fall.
        let scene = try scene(
            "builtin_alerts: false\nalerts: [{name: below, market: savings, below: 20000}]\n",
            bitcoin: Array(repeating: "60000", count: 10) + ["70000", "60000", "60000"])
        try await scene.start()
        await scene.poll(5)
        try await edit(
            scene,
            "builtin_alerts: false\nalerts: [{name: below, market: savings, below: 20000}]\n"
                + Self.portfolio("0.25", "1.5"), restarting: restarting)
        await scene.poll(5)
        #expect(try events(scene) == [])
        await scene.poll()
        #expect(try market("savings", scene).price == Price(parsing: "20500"))
        await scene.poll(3)
        #expect(try events(scene) == ["below savings firing first_firing 18000"])
        await scene.stop()
    }

    @Test("a level that holds only by the edit shows in the status until it has ended", arguments: [false, true])
    func shownAsDormant(restarting: Bool) async throws {
        let rules = "builtin_alerts: false\nalerts: [{name: below, market: savings, below: 20000}]\n"
        let scene = try scene(rules, bitcoin: Array(repeating: "60000", count: 8) + ["70000"])
        try await scene.start()
        await scene.poll(3)
        try await edit(scene, rules + Self.portfolio("0.25", "1.5"), restarting: restarting)
        await scene.poll(2)
        func shown() throws -> [String] {
            try scene.status().dormant.map { "\($0.rule) \($0.market) \($0.condition)" }
        }
        #expect(try shown() == ["below savings below 20000"])
        await scene.stop()
        try await scene.start()
        await scene.poll()
        #expect(try shown() == ["below savings below 20000"], "after a restart, too")
        await scene.poll(5)
        #expect(try shown() == [])
        await scene.stop()
    }

    @Test(
        "a firing level that still holds goes on without a word; one that does not is resolved as edited",
        arguments: [false, true])
    func firing(restarting: Bool) async throws {
        let rules = """
            builtin_alerts: false
            alerts: [{name: above, market: savings, above: 30000, repeat_on_move: 2%}]

            """
        let scene = try scene(rules)
        try await scene.start()
        await scene.poll(3)
        #expect(try events(scene) == ["above savings firing first_firing 36000"])
        try await edit(scene, rules + Self.portfolio("1", "6"), restarting: restarting)
        await scene.poll(3)
        #expect(try events(scene).count == 1)
        try await edit(scene, rules + Self.portfolio("0.25", "1.5"), restarting: restarting)
        await scene.poll(3)
        #expect(try events(scene).dropFirst() == ["above savings resolved edited 18000"])
        let last = try #require(try HistoryReader(at: scene.database).events(since: .distantPast).last)
        #expect(Headline(last).text() == "■ savings 18,000 usd, the amounts were edited (above)")
        await scene.stop()
    }

    @Test("a firing comparison with earlier prices is resolved as edited", arguments: [false, true])
    func firingWindow(restarting: Bool) async throws {
        let rules = """
            builtin_alerts: false
            alerts: [{name: falls, market: savings, falls: 5%, within: 10m}]

            """
        let scene = try scene(rules, bitcoin: Array(repeating: "60000", count: 12) + ["54000"])
        try await scene.start()
        await scene.poll(14)
        #expect(try events(scene) == ["falls savings firing first_firing 33000"])
        try await edit(scene, rules + Self.portfolio("1", "6"), restarting: restarting)
        await scene.poll(15)
        #expect(try events(scene).dropFirst() == ["falls savings resolved edited 66000"])
        await scene.stop()
    }

    @Test(
        "nothing earlier counts for windows and the 24 h change, and all of it stays readable",
        arguments: [false, true])
    func past(restarting: Bool) async throws {
        let rules = """
            builtin_alerts: false
            alerts: [{name: falls, market: savings, falls: 5%, within: 10m}]

            """
        let scene = try scene(
            rules, bitcoin: Array(repeating: "60000", count: 19) + ["50000"], more: ", cost: 1")
        try await scene.start()
        await scene.poll(3)
        scene.time.step(.hours(24) - .minutes(3))
        await scene.poll(2)
        #expect(try market("savings", scene).change == .zero)
        try await edit(scene, rules + Self.portfolio("1", "6", ", cost: 1"), restarting: restarting)
        #expect(try market("savings", scene).price == (restarting ? Price(parsing: "36000") : nil))
        await scene.poll(2)
        #expect(try market("savings", scene).price == Price(parsing: "72000"))
        #expect(try market("savings", scene).change == nil)
        #expect(try market("bitcoin", scene).change == .zero)
        await scene.stop()
        try await scene.start()
        await scene.poll(2)
        #expect(try market("savings", scene).change == nil)
        // Ten minutes of the new amounts are watched when the market falls.
        await scene.poll(13)
        #expect(try events(scene) == ["falls savings firing first_firing 62000"])
        let reader = try HistoryReader(at: scene.database)
        var seen: [String] = []
        try reader.samples(of: try MarketID("savings"), in: .usd, since: nil, until: nil) {
            if seen.last != $0.price.description { seen.append($0.price.description) }
        }
        #expect(seen == ["36000", "72000", "62000"])
        var candles = 0
        try reader.candles(of: try MarketID("savings"), in: .usd, every: .hours(1), since: nil, until: nil) { _ in
            candles += 1
        }
        #expect(candles == 2)
        await scene.stop()
    }

    @Test(
        "the cost, the order, and another way to write a number are no edit of the amounts", arguments: [false, true])
    func noEdit(restarting: Bool) async throws {
        let rules = """
            builtin_alerts: false
            alerts: [{name: falls, market: savings, falls: 5%, within: 10m}]

            """
        let scene = try scene(rules, bitcoin: Array(repeating: "60000", count: 10) + ["50000"])
        try await scene.start()
        await scene.poll(10)
        try await edit(
            scene, rules + "watch: {markets: [{id: savings, holds: {ethereum: 3.0, bitcoin: 5e-1}, cost: 9}]}\n",
            restarting: restarting)
        await scene.poll(2)
        #expect(try market("savings", scene).cost == 9)
        #expect(try events(scene) == ["falls savings firing first_firing 31000"])
        await scene.stop()
    }

    @Test("edited back before a poll: nothing has happened", arguments: [false, true])
    func editedBack(restarting: Bool) async throws {
        let scene = try scene(bitcoin: Array(repeating: "60000", count: 25) + ["50000"])
        try await scene.start()
        await scene.poll(25)
        try await edit(scene, Self.rules + Self.portfolio("0.1", "3"), restarting: restarting)
        try await edit(scene, Self.rules + Self.portfolio("0.5", "3"), restarting: restarting)
        await scene.poll()
        #expect(
            try events(scene) == [
                "falls savings firing first_firing 31000", "moves savings firing first_firing 31000",
                "moves bitcoin firing first_firing 50000", "low savings firing first_firing 31000",
            ])
        await scene.stop()
    }

    @Test("an edit whose first value is late, after failed polls and restarts, fires nothing either")
    func lateValue() async throws {
        let scene = try scene()
        try await scene.start()
        await scene.poll(25)
        try await scene.reload(Self.rules + Self.portfolio("0.25", "1.5"))
        scene.simulator.setFaults([.missing([try MarketID("ethereum")])])
        await scene.poll(2)
        #expect(try market("savings", scene).reason == .incomplete)
        await scene.stop()
        try await scene.start()
        await scene.poll()
        scene.simulator.setFaults([.status(500)])
        await scene.poll()
        try await scene.reload(scene.rules)
        scene.simulator.setFaults([])
        await scene.poll(25)
        #expect(try events(scene) == [])
        #expect(try market("savings", scene).price == Price(parsing: "18000"))
        await scene.stop()
    }

    @Test("a coin that becomes a portfolio, and one that becomes a coin again, start anew", arguments: [false, true])
    func otherKind(restarting: Bool) async throws {
        let rules = """
            builtin_alerts: false
            alerts: [{name: moves, market: ethereum, moves: 5%, within: 10m}, {name: high, market: ethereum, above: 9000}]

            """
        let scene = try scene(rules)
        try await scene.start()
        await scene.poll(12)
        let portfolio = rules + "watch: {markets: [{id: ethereum, holds: {bitcoin: 0.5}}]}\n"
        try await edit(scene, portfolio, restarting: restarting)
        await scene.poll(12)
        #expect(try market("ethereum", scene).price == Price(parsing: "30000"))
        try await edit(scene, rules + "watch: {markets: [bitcoin, ethereum]}\n", restarting: restarting)
        await scene.poll(12)
        #expect(try market("ethereum", scene).price == Price(parsing: "2000"))
        #expect(try events(scene) == [])
        await scene.stop()
    }
}
