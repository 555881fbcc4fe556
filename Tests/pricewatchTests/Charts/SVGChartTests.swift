import Foundation
import FoundationXML
import Markets
import Testing

@testable import Views
@testable import pricewatch

@Suite struct SVGChartTests {
    /// What a reader of XML finds in a picture.
    private final class Found: NSObject, XMLParserDelegate {
        var classes: [String: Int] = [:]
        var texts: [String] = []
        private var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            text = ""
            classes["\(name).\(attributes["class"] ?? "")", default: 0] += 1
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if ["text", "title"].contains(name) { texts.append(text) }
            text = ""
        }
    }

    private func found(in chart: Chart) throws -> Found {
        let parser = XMLParser(data: Data(SVGChart(chart).file.bytes))
        let found = Found()
        parser.delegate = found
        try #require(parser.parse(), "\(String(describing: parser.parserError))")
        return found
    }

    @Test("a line for each stretch, its gap shaded, alerts marked and explained")
    func parts() throws {
        let chart = try ChartScene.chart(
            [(0, "90"), (5, "95"), (10, "110"), nil, (40, "120"), (50, "99"), (60, "98")],
            events: [
                ChartScene.event(.firing, at: 10, price: "110"),
                ChartScene.event(.firing, at: 40, price: "120", rule: "peg", condition: "below 130"),
                ChartScene.event(.firing, at: 45, price: nil, rule: "old", condition: "stale 10m"),
                ChartScene.event(.resolved, at: 50, price: "99"),
            ])
        let found = try found(in: chart)
        #expect(found.classes["path.price"] == 2)
        // Beside the one of the legend.
        #expect(found.classes["rect.gap"] == 2)
        #expect(found.classes["polygon.firing"] == 3)
        #expect(found.classes["circle.firing"] == 1)
        #expect(found.classes["circle.resolved"] == 2)
        #expect(found.texts.contains("Bitcoin (BTC) in usd"))
        #expect(found.texts.contains("2026-11-21 10:10:00 UTC high firing at 110 usd (above 100)"))
        #expect(found.texts.contains("nothing recorded from 2026-11-21 10:10:00 to 10:40:00 UTC"))
        #expect(found.texts.contains("100") && found.texts.contains("10:30"))
    }

    @Test(
        "names from outside stay text",
        arguments: ["<script>alert(1)</script>", "a & b \"c\" 'd'", "]]> -->", "\u{1B}[31m\u{0}", "日本 🪙 \u{202E}evil"])
    func hostile(name: String) throws {
        let chart = try ChartScene.chart(
            [(0, "90"), (60, "98")], name: name,
            events: [ChartScene.event(.firing, at: 10, price: "91", rule: name)])
        let found = try found(in: chart)
        let safe = SafeText.printable(name)
        #expect(found.texts.contains("\(safe) (BTC) in usd"))
        #expect(found.texts.contains("2026-11-21 10:10:00 UTC \(safe) firing at 91 usd (above 100)"))
        #expect(found.classes["script."] == nil)
    }

    @Test("one price is a dot, none an empty picture that says so")
    func edges() throws {
        let one = try found(in: try ChartScene.chart([(30, "0.000000001206")]))
        #expect(one.classes["circle.dot"] == 1)
        #expect(one.classes["path.price"] == nil)
        let none = try found(in: try ChartScene.chart([]))
        #expect(none.texts.contains("nothing recorded"))
        #expect(none.texts.contains("10:30"), "the time is there all the same")
    }

    @Test("alerts that fall on one place share a mark, which names each")
    func crowd() throws {
        let events = try (0..<20).map { try ChartScene.event(.firing, at: 30 + Double($0) / 100, price: "95") }
        let found = try found(in: try ChartScene.chart([(0, "90"), (60, "98")], events: events))
        // Beside the one of the legend.
        #expect(found.classes["polygon.firing"] == 2)
        let tip = found.texts.first { $0.hasSuffix("and 14 more") }
        #expect(tip?.split(separator: "\n").count == 7)
    }
}
