import Engine
import Foundation
import Markets
import TestSupport
import Testing

@testable import Exports

func sample(_ market: String, _ price: String = "1", at milliseconds: Int64 = 1_795_302_792_000) throws
    -> ExportedSample
{
    ExportedSample(
        market: try MarketID(market), currency: .usd, price: try #require(Price(parsing: price)),
        quotedAt: Date(milliseconds: milliseconds))
}

func batch(_ markets: [String]) throws -> ExportBatch {
    ExportBatch(samples: try markets.map { try sample($0) }, upTo: 1)
}

@Suite struct LineProtocolTests {
    private func text(_ batch: ExportBatch) -> String { String(decoding: LineProtocol(batch).bytes, as: UTF8.self) }

    @Test(
        "a price is exact, without a suffix, at the millisecond of its quote",
        arguments: [
            ("61926.35", "61926.35"), ("60000", "60000"), ("1.206e-9", "0.000000001206"),
            ("999999999999999999", "999999999999999999"), ("0.1", "0.1"),
        ])
    func prices(price: String, written: String) throws {
        let batch = ExportBatch(samples: [try sample("bitcoin", price, at: 1_795_302_792_123)], upTo: 1)
        #expect(text(batch) == "pricewatch,currency=usd,market=bitcoin price=\(written) 1795302792123\n")
    }

    @Test("an alert is 1 while it fires and 0 once")
    func alerts() throws {
        func alert(_ isFiring: Bool) throws -> ExportedAlert {
            ExportedAlert(
                rule: "fast drop", market: try MarketID("bitcoin"), severity: .critical, isFiring: isFiring,
                at: Date(milliseconds: 5))
        }
        let written = text(ExportBatch(samples: [], alerts: [try alert(true), try alert(false)], upTo: 1))
        let series = #"pricewatch,market=bitcoin,rule=fast\ drop,severity=critical alert_firing"#
        #expect(written == "\(series)=1 5\n\(series)=0 5\n")
    }

    @Test("lines are found again by their numbers")
    func ranges() throws {
        let lines = LineProtocol(try batch(["a", "bb", "ccc"]))
        #expect(lines.count == 3)
        #expect((0..<3).map(lines.text).map { $0.split(separator: " ")[0].suffix(3) } == ["t=a", "=bb", "ccc"])
        #expect(Array(lines[0..<1]) + Array(lines[1..<3]) == lines.bytes)
        #expect(lines[1..<1].isEmpty && lines[0..<0].isEmpty)
    }

    /// What an id or a rule's name is made of, chosen for what breaks a line.
    private static let pieces = [
        ",", " ", "=", "\\", "\"", "\n", "\r", "#", "a", "B", "7", "é", "\u{301}", "\u{200D}", "\u{D4E}", "🇩🇪",
        "\u{2028}",
        "\u{202E}", "\t", "\0", "=1 2", "\\,", "\\\\", "i", "\u{FF3C}", "\u{85}",
    ]

    @Test(
        "whatever a name is made of, an independent reader reads one line, with that name",
        .enabled(if: Python.hasRun("0")))
    func fuzz() throws {
        var random = SystemRandomNumberGenerator()
        var alerts: [ExportedAlert] = []
        while alerts.count < 2000 {
            let name = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                Self.pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            let market = (try? MarketID(name)) ?? .feed
            alerts.append(
                ExportedAlert(
                    rule: name, market: market, severity: .info, isFiring: true, at: Date(milliseconds: 7)))
        }
        let samples = alerts.map {
            ExportedSample(market: $0.market, currency: .usd, price: Price(parsing: "2.5")!, quotedAt: $0.at)
        }
        let (code, output) = try Python.run(
            [Python.script("lines.py")], input: text(ExportBatch(samples: samples, alerts: alerts, upTo: 1)))
        #expect(code == 0, "\(output.suffix(300))")
        let read = output.split(separator: "\n").map {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [Any]
        }
        try #require(read.count == 4000)
        func scalars(_ text: String?) -> [Unicode.Scalar] { Array((text ?? "").unicodeScalars) }
        for (line, alert) in zip(read.dropFirst(2000), alerts) {
            let tags = line?[1] as? [String: String]
            #expect(scalars(tags?["rule"]) == scalars(LineProtocol.tagValue(alert.rule)))
            #expect(scalars(tags?["market"]) == scalars(LineProtocol.tagValue(alert.market.text)))
            #expect(line?[2] as? String == "alert_firing" && line?[3] as? String == "1" && line?[4] as? Int == 7)
        }
        for (line, sample) in zip(read, samples) {
            let tags = line?[1] as? [String: String]
            #expect(scalars(tags?["market"]) == scalars(LineProtocol.tagValue(sample.market.text)))
            #expect(line?[2] as? String == "price" && line?[3] as? String == "2.5")
        }
    }

    @Test(
        "only what engines read differently is replaced in a name",
        arguments: [
            ("boringdao-[old]", "boringdao-[old]"), ("a\\b", "a\u{FF3C}b"), ("a\nb", "a\u{FFFD}b"), ("é 🇩🇪=", "é 🇩🇪="),
        ])
    func names(name: String, held: String) { #expect(LineProtocol.tagValue(name) == held) }
}
