import Engine
import Foundation
import Markets
import TestSupport
import Testing

@testable import Views
@testable import pricewatch

/// A hundred thousand names and notes, with combining marks before and after every special character, written into HTML,
/// SVG, Atom and CSV and read by the parsers of Python: no element and no attribute that we did not write, and each text
/// as it was.
@Suite(.enabled(if: Python.hasRun("import html.parser, xml.parsers.expat"), "python3 is not here"))
struct MarkupFuzzTests {
    private static let count = 100_000
    private static let script = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Independent/markup.py").standardizedFileURL.path

    /// Fragments of markup, beside single characters.
    private static let fragments = [
        "<script>", "</td>", "</title>", "</style>", "-->", "<!--", "]]>", "&lt;", "&#60;", "&#x3c", "\" onload=\"",
        "' x='",
        "<svg/onload=x>", "javascript:", "<?php", "<!DOCTYPE", "{{x}}", "\u{202E}", "\u{0}", "\u{B}", "\u{FFFE}", "\n",
        "\r", "\t", "\u{2028}", "\u{85}",
    ]

    private static let texts: [String] = {
        var random = SeededNumbers(17)
        var texts = Array(EscapingTests.texts.prefix(count / 4))
        let kinds = [EscapingTests.special, EscapingTests.joining, EscapingTests.joining, EscapingTests.plain]
        while texts.count < count {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                if Int.random(in: 0..<5, using: &random) == 0 {
                    text.append(
                        contentsOf: fragments[Int.random(in: 0..<fragments.count, using: &random)].unicodeScalars)
                } else {
                    let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
                    text.append(kind[Int.random(in: 0..<kind.count, using: &random)])
                }
            }
            texts.append(String(text))
        }
        return texts
    }()

    /// What is shown of a text: control characters as `\u001b`, line breaks as they are.
    private static func shown(_ text: String) -> String {
        text.unicodeScalars.map { $0 == "\n" ? "\n" : SafeText.printable(String($0)) }.joined()
    }

    // MARK: The writer

    private func document(_ kind: String, _ texts: [String]) -> [UInt8] {
        var markup = MarkupWriter()
        let isXML = kind == "xml"
        if !isXML { markup.literal("<!DOCTYPE html>\n") }
        markup.element(isXML ? "svg" : "body") { markup in
            for text in texts {
                if isXML {
                    markup.element("text", ["title": text], text: text)
                } else {
                    markup.element("a", ["aria-label": text]) { $0.element("bdi", text: text) }
                }
            }
        }
        return markup.bytes
    }

    @Test("the writer: text and attributes", arguments: ["html", "xml"])
    func writer(kind: String) throws {
        let texts = Self.texts
        let wanted = texts.flatMap { text in
            let shown = Self.shown(text)
            // XML reads a line break in an attribute as a blank.
            return [kind == "xml" ? shown.replacingBytes(of: ["\n"], with: " ") : shown, shown]
        }
        try compare(
            kind, document(kind, texts.map { _ in "x" }), document(kind, texts), wanted, atLeast: 2 * Self.count)
    }

    // MARK: The pages

    /// - Parameter charted: The market that has a chart, and an id of its own.
    private func report(_ texts: ArraySlice<String>, isHarmless: Bool, charted: MarketID) -> StatusReport {
        var report = StatusReport()
        (report.writtenAt, report.pid, report.state) = (Told.now, 1, .degraded)
        for (place, text) in texts.enumerated() {
            let text = isHarmless ? "x" : text
            var market = StatusReport.Market()
            market.market = (try? MarketID(isHarmless ? "feed" : text)) ?? .feed
            (market.name, market.symbol, market.state) = (text, text, .unknown)
            report.markets.append(market)
            if place % 10 == 0 {
                var event = Told.event(rule: text, symbol: text, name: text, note: text)
                event.market = market.market
                event.id = "\(place)"
                report.firing.append(event)
                report.reasons.append(.init(.marketMissing, "missing: \(text)"))
                report.silences.append(
                    Silence(id: 0, rule: text, market: nil, since: Told.now, until: Told.now + .hours(1)))
                report.feeds.append(.init())
                report.feeds[report.feeds.count - 1].name = text
            }
        }
        report.markets.append(report.markets[0])
        report.markets[report.markets.count - 1].market = charted
        report.firing[0].market = charted
        return report
    }

    private func pages(_ texts: ArraySlice<String>, isHarmless: Bool) throws -> [String: [UInt8]] {
        let charted = try MarketID("charted")
        let report = report(texts, isHarmless: isHarmless, charted: charted)
        let sentence = isHarmless ? "x" : texts.first ?? ""
        let frame = PageFrame(
            report, sentence: "ok: \(sentence)", exit: 1, notes: [sentence], now: Told.now, zone: .utc,
            links: PageLinks())
        let prices = try ["1", "2"].map { try #require(Price(parsing: $0)) }
        let candles = prices.enumerated().map { Candle(start: Told.now - .minutes(30 - $0), first: $1) }
        var chart = Chart(of: charted, in: .usd, from: Told.now - .hours(1), to: Told.now + .minutes(1), [candles])
        chart.name = sentence
        chart.symbol = sentence
        chart.events = report.firing
        let rules = report.firing.map { MarketPage.Rule(name: $0.rule, condition: $0.condition, state: nil) }
        return [
            "html-markets": MarketsPage(frame, order: .configured, only: nil, trends: [:], window: "24h").bytes,
            "html-status": StatusPage(frame).bytes,
            "html-alerts": AlertsPage(frame, since: .hours(1), events: report.firing).bytes,
            "html-market": MarketPage(frame, .day, chart, rules: rules).bytes,
            "xml-feed": AlertFeed(report.firing, page: try PageURL("https://p.example"), now: Told.now).bytes,
            "xml-chart": SVGChart(chart).file.bytes,
        ]
    }

    @Test("the pages, the feed and a chart: the shape is that of harmless names")
    func pages() throws {
        let texts = Self.texts.prefix(3000) + Self.texts.suffix(3000)
        for start in stride(from: 0, to: texts.count, by: 1000) {
            let slice = texts[start..<start + 1000]
            let (harmless, hostile) = (try pages(slice, isHarmless: true), try pages(slice, isHarmless: false))
            for (name, bytes) in hostile {
                try compare(
                    String(name.prefix { $0 != "-" }), try #require(harmless[name]), bytes, nil, atLeast: 0, name)
            }
        }
    }

    // MARK: CSV

    @Test("CSV: as many cells as were written, each with its text")
    func csv() throws {
        let folder = try TemporaryFolder()
        let lines = Self.texts.map { CSV.line(["1.5", $0, nil, $0]) }.joined()
        let wanted = Self.texts.map { text in
            let first = text.utf8.first.map { "=+-@".utf8.contains($0) } ?? false
            return first && DecimalNumeral(text) == nil ? "'" + text : text
        }
        let script = """
            import csv, json, sys
            wanted = json.load(open(sys.argv[2], encoding="utf8"))
            rows = list(csv.reader(open(sys.argv[1], encoding="utf8", newline="")))
            assert len(rows) == len(wanted), (len(rows), len(wanted))
            for row, text in zip(rows, wanted): assert row == ["1.5", text, "", text], (row, text)
            """
        let file = folder.write(lines, as: "x.csv")
        let texts = folder.write(try Self.json(wanted), as: "x.json")
        let (code, output) = try Python.run(["-c", script, file, texts])
        #expect(code == 0, "\(output.suffix(2000))")
    }

    // MARK: Reading

    private func compare(
        _ kind: String, _ harmless: [UInt8], _ hostile: [UInt8], _ texts: [String]?, atLeast least: Int,
        _ what: String = ""
    ) throws {
        let folder = try TemporaryFolder()
        let files = [
            folder.write(String(decoding: harmless, as: UTF8.self), as: "harmless"),
            folder.write(String(decoding: hostile, as: UTF8.self), as: "hostile"),
            folder.write(try texts.map(Self.json) ?? "null", as: "texts"),
        ]
        let (code, output) = try Python.run([Self.script, kind] + files)
        #expect(code == 0, "\(kind) \(what): \(output.suffix(2000))")
        #expect((Int(output.split(separator: " ").last?.dropLast() ?? "") ?? 0) >= least, "\(output.suffix(200))")
    }

    private static func json(_ texts: [String]) throws -> String {
        var json = JSONWriter()
        json.array { json in for text in texts { json.string(text) } }
        return json.text
    }
}
