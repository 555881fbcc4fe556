import Engine
import Foundation
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// Every recipe of the cookbook, tried: what makes it fire, and what comes close and must not.
@Suite struct CookbookTests {
    struct Trial: Sendable {
        /// The recipe's heading in the cookbook.
        var title: String
        var rule: String
        var fires: PricePath
        var events: [String]
        var staysQuiet: PricePath
        /// Where its messages go; nil: to every channel.
        var channels: [String]?
    }

    private static let fired = "firing first_firing"
    private static let pending = "pending first_met"
    private static let resolved = "resolved condition_ended"

    static let trials = [
        Trial(
            title: "Floor with hysteresis", rule: "btc-floor",
            fires: PricePath("bitcoin", "61000*2 59990*6 60500*3 61000"), events: [pending, fired, resolved],
            // Four minutes below, and exactly at the floor.
            staysQuiet: PricePath("bitcoin", "61000 59000*4 60500 60000*20")),
        Trial(
            title: "Fast drop of any market", rule: "fast-drop",
            fires: PricePath("bitcoin", "150*60 142.5*2 142*240"),
            events: [fired, resolved],
            staysQuiet: PricePath("bitcoin", "150*60 142.51*5 142.6*60")),
        Trial(
            title: "Stablecoin peg", rule: "usdt-peg",
            fires: PricePath("tether", "1*5 0.989*12 1*5 0.989 1*12"), events: [pending, fired, resolved],
            staysQuiet: PricePath("tether", "1 1.0101*9 1 0.99*30")),
        Trial(
            title: "New 30-day high", rule: "btc-month-high",
            fires: PricePath("bitcoin", every: .hours(1), "60000*400 64000*2 60000*330 64001 63000"),
            events: [fired, resolved],
            staysQuiet: PricePath("bitcoin", every: .hours(1), "60000*400 64000*2 60000*330 64000 63000")),
        Trial(
            title: "Price target, once", rule: "sell-the-boat",
            fires: PricePath("ethereum", "3990 4001*3 3900*2 4100*5"), events: [fired, resolved],
            staysQuiet: PricePath("ethereum", "3990 4000*10")),
        Trial(
            title: "Reminder at every further step", rule: "sol-runs",
            fires: PricePath("solana", "199 201 203 205.03 208 209.2"),
            events: [fired, "reminder moved_further", "reminder moved_further"],
            staysQuiet: PricePath("solana", "199 200*20 198")),
        // Level by level, and straight through both.
        Trial(
            title: "Two levels without two messages", rule: "btc-two-levels",
            fires: PricePath("bitcoin", "61000 59990*3 55191 55190*3 61000"),
            events: [fired, "reminder moved_further", resolved],
            staysQuiet: PricePath("bitcoin", "61000 60000*20")),
        Trial(
            title: "Quiet hours", rule: "btc-crash",
            fires: PricePath("bitcoin", "60000*60 53900*3"), events: [fired],
            staysQuiet: PricePath("bitcoin", "60000*60 54001*3"), channels: ["phone"]),
        Trial(
            title: "Data alerts and price alerts to different channels", rule: "feed-stale",
            fires: PricePath("bitcoin", "60000*3 x*15 60000"), events: [fired, resolved],
            staysQuiet: PricePath("bitcoin", "60000*3 x*9 60000"), channels: ["ops"]),
        Trial(
            title: "Share price from a JSON feed", rule: "aapl-falls",
            fires: PricePath("AAPL", every: .minutes(15), "230*100 211*2"), events: [fired],
            // A weekend without a price.
            staysQuiet: PricePath("AAPL", every: .minutes(15), "230*100 ?*250 229*4")),
        // Half a bitcoin beside three of ether, which stay at 1,000.
        Trial(
            title: "A portfolio", rule: "savings-fall",
            fires: PricePath("bitcoin", every: .minutes(15), "60000*100 56700*2"), events: [fired],
            staysQuiet: PricePath("bitcoin", every: .minutes(15), "60000*100 56701*2")),
        Trial(
            title: "Temporary rule with a script", rule: "weekend-eth",
            fires: PricePath("ethereum", "3000*30 3090*2"), events: [fired],
            staysQuiet: PricePath("ethereum", "3000*30 3089*2"), channels: ["script"]),
    ]

    /// Those with rules; the others are programs to call.
    private static func recipes() throws -> [ManualText.Block] {
        try ManualText(named: "docs/cookbook.md").blocks.filter { $0.words.isEmpty && $0.text.contains("{name: ") }
    }

    @Test("each recipe is tried, and each trial is of a recipe")
    func complete() throws {
        #expect(try Self.recipes().map(\.heading) == Self.trials.map(\.title))
    }

    private static func configuration(of trial: Trial) throws -> Configuration {
        let block = try #require(try recipes().first { $0.heading == trial.title })
        let scene = try ConfigurationScene()
        for (name, text) in block.secrets.files { try scene.write(text, to: "etc/\(name)") }
        scene.host.variables = block.secrets.variables
        return try scene.reading(block.configuration).configuration
    }

    @Test("a fall through both levels at once is one message")
    func oneMessage() throws {
        let trial = try #require(Self.trials.first { $0.rule == "btc-two-levels" })
        let events = try PricePath("bitcoin", "61000 54000*5").words(
            under: Self.configuration(of: trial), of: trial.rule)
        #expect(events == [Self.fired])
    }

    @Test("a message's first line is shown as it comes")
    func headlines() throws {
        let shown = try ManualText(named: "docs/cookbook.md").codeSpans.filter { $0.text.contains(/^[▲▼]\s/) }
        let sent = try Self.trials.flatMap { trial in
            try trial.fires.events(under: Self.configuration(of: trial), of: trial.rule).map { Headline($0).text() }
        }
        #expect(!shown.isEmpty)
        for line in shown { #expect(sent.contains(line.text), "\(line.place)") }
    }

    @Test("it fires, it stays quiet, and its messages go where it says", arguments: trials)
    func tried(trial: Trial) throws {
        let configuration = try Self.configuration(of: trial)
        let announced = try trial.fires.words(under: configuration, of: trial.rule)
        #expect(announced == trial.events, "\(announced)")
        let quiet = try trial.staysQuiet.words(under: configuration, of: trial.rule)
        #expect(!quiet.contains { $0.hasPrefix("firing") }, "\(quiet)")
        let rule = try #require(configuration.alertRules.first { $0.name == trial.rule })
        #expect(rule.notify == trial.channels)
    }
}

extension CookbookTests.Trial: CustomTestStringConvertible {
    var testDescription: String { title }
}
