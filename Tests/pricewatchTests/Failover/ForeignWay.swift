import Engine
import Foundation
import MarketSimulator
import Markets
import Testing

@testable import Feeds

/// A way in which a provider says in a language of its own that it fails.
struct ForeignWay: Sendable, CustomTestStringConvertible {
    var name: String
    var health: FailoverScene.Health
    var kind: FeedError.Kind

    var testDescription: String { name }

    static let all = binance + kraken + coinMarketCap

    private static let binance =
        rules(Binance()).map { code, rule in
            ForeignWay(
                name: "binance, code \(code)",
                health: .init(
                    provider: "binance", well: binanceRow,
                    ill: .faults([.answer([:], #"{"code":\#(code),"msg":"no"}"#, 400)])), kind: rule.kind)
        }
        + Binance().errors.statuses.map { status, rule in
            ForeignWay(
                name: "binance, \(status)",
                health: .init(provider: "binance", well: binanceRow, ill: .faults([.answer([:], "{}", status)])),
                kind: rule.kind)
        }

    private static let kraken = Kraken().errors.texts.map { text, rule in
        ForeignWay(
            name: "kraken, \(text)",
            health: .init(
                provider: "kraken",
                well: { _ in .answer([:], #"{"error":[],"result":{"XXBTZUSD":{"c":["60000","1"],"v":["1","1"]}}}"#) },
                ill: .faults([.answer([:], #"{"error":["\#(text) and so on"]}"#)])), kind: rule.kind)
    }

    private static let coinMarketCap = rules(CoinMarketCap(plan: .public)).map { code, rule in
        ForeignWay(
            name: "coinmarketcap, code \(code)",
            health: .init(
                provider: "coinmarketcap",
                well: { now in
                    .answer(
                        [:],
                        """
                        {"status":{"error_code":0},"data":[{"id":1,"name":"Bitcoin","symbol":"BTC",\
                        "last_updated":"\(now.utcTextWithMilliseconds)","quote":{"USD":{"price":60000}}}]}
                        """)
                }, ill: .faults([.answer([:], #"{"status":{"error_code":\#(code),"error_message":"no"}}"#)])),
            kind: rule.kind)
    }

    private static let binanceRow: @Sendable (Date) -> Fault = { now in
        .answer([:], #"[{"symbol":"BTCUSDT","lastPrice":"60000","closeTime":\#(now.milliseconds)}]"#)
    }

    private static func rules(_ provider: some Provider) -> [(Int, FeedError)] {
        provider.errors.codes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
