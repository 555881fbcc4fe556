import Engine
import Foundation
import FoundationXML
import Markets
import Testing

@testable import Channels
@testable import Views
@testable import pricewatch

/// Code that looks for characters instead of scalars does not find a `<` that carries an accent: a mark behind it, or a
/// letter before it that joins what follows, makes it another character. Thousands of such texts go through every format
/// in which something must be escaped, and come back as they were.
@Suite struct EscapingTests {
    static let special: [Unicode.Scalar] = [
        "<", ">", "&", "\"", "'", "\\", "|", "*", "_", "~", "`", "#", "[", "]", "(", ")", "@", "=", "+", "-", ",", ";",
        "{",
        "}", "%", ":", "!", "/", "$",
    ]
    /// Those that join what stands before them (an accent, a keycap, a joiner, a variation, a skin tone) or behind (the
    /// Malayalam dot above comes before its letter).
    static let joining: [Unicode.Scalar] = [
        "\u{301}", "\u{D4E}", "\u{20E3}", "\u{200D}", "\u{FE0F}", "\u{1F3FD}", "\u{338}", "\u{111C2}",
    ]
    static let plain: [Unicode.Scalar] = ["a", "Z", "0", " ", "é", "名", "\u{1F600}", "\u{1F1EA}"]

    /// Each special character with each joining one before it, behind it and on both sides, then a few thousand texts
    /// from a generator that always begins alike.
    static let texts: [String] = {
        var texts: [String] = []
        func add(_ scalars: [Unicode.Scalar]) { texts.append(String(String.UnicodeScalarView(scalars))) }
        for special in special {
            for joining in joining {
                add(["a", special, joining, "b"])
                add(["a", joining, special, "b"])
                add([joining, special, joining])
            }
        }
        add(Array("<script>alert(1)</script>".unicodeScalars).flatMap { [$0, "\u{301}"] })
        add(Array("<!channel|x> [here](https://example.org)".unicodeScalars).flatMap { ["\u{D4E}", $0] })
        var random = SeededRandom(state: 20_261_121)
        for _ in 0..<2500 {
            let count = Int.random(in: 1...12, using: &random)
            add(
                (0..<count).map { _ in
                    let kind = [special, joining, joining, plain][Int.random(in: 0..<4, using: &random)]
                    return kind[Int.random(in: 0..<kind.count, using: &random)]
                })
        }
        return texts
    }()

    private func expectSame(_ found: String?, _ text: String, _ what: String) {
        guard let found, found.unicodeScalars.elementsEqual(text.unicodeScalars) else {
            Issue.record("\(what): \(text.debugDescription) became \(found.debugDescription)")
            return
        }
    }

    private func event(_ text: String) -> AlertEvent {
        Told.event(rule: text, market: "bitcoin", symbol: text, name: text, note: text)
    }

    // MARK: SVG

    private final class Texts: NSObject, XMLParserDelegate {
        private(set) var found: [String] = []
        private(set) var elements: Set<String> = []
        private var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.insert(name)
            text = ""
        }
        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if name == "text" { found.append(text) }
        }
    }

    private func parsed(_ picture: MarkupWriter) throws -> Texts {
        let parser = XMLParser(data: Data(picture.bytes))
        let texts = Texts()
        parser.delegate = texts
        try #require(parser.parse(), "\(String(describing: parser.parserError))")
        return texts
    }

    @Test("SVG")
    func svg() throws {
        var picture = SVGWriter()
        for text in Self.texts { picture.text(0, 0, text, "fact") }
        let found = try parsed(picture.file(width: 10, height: 10, title: "title"))
        #expect(found.elements == ["svg", "title", "style", "rect", "text"])
        #expect(found.found.count == Self.texts.count)
        for (text, found) in zip(Self.texts, found.found) { expectSame(found, text, "SVG") }
    }

    @Test("no picture that a parser refuses, whatever code points a name has")
    func anyCodePoint() throws {
        let odd: [UInt32] = Array(0...0xA0) + [0xFFFE, 0xFFFF, 0x1FFFF, 0x10FFFE, 0xFDD0, 0x2028, 0x85, 0xE000, 0xFEFF]
        let scalars = odd.compactMap(Unicode.Scalar.init)
        let name = String(String.UnicodeScalarView(scalars))
        let chart = try ChartScene.chart(
            [(0, "90"), (60, "98")], name: "x",
            events: [ChartScene.event(.firing, at: 10, price: "91", rule: name)])
        _ = try parsed(SVGChart(chart).file)
        var picture = SVGWriter()
        for scalar in scalars { picture.text(0, 0, "\(name)\(scalar)", "fact") }
        _ = try parsed(picture.file(width: 10, height: 10, title: name))
    }

    // MARK: Metrics

    /// The value of a label as Prometheus reads it, and what follows its quotation mark.
    private func label(_ rest: Substring.UTF8View) -> (value: String, rest: Substring.UTF8View)? {
        var (value, rest) = ([UInt8](), rest)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return (String(decoding: value, as: UTF8.self), rest)
            case UInt8(ascii: "\\"):
                switch rest.popFirst() {
                case UInt8(ascii: "n"): value.append(0x0A)
                case let next? where next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\"): value.append(next)
                default: return nil
                }
            case 0x0A: return nil
            default: value.append(byte)
            }
        }
        return nil
    }

    @Test("the metrics file")
    func metrics() throws {
        var report = StatusReport()
        report.firing = Self.texts.map(event)
        let file = report.metrics(polls: [:], expiresAt: nil)
        let beginning = #"pricewatch_alert_firing{rule=""#
        let lines = file.utf8.split(separator: 0x0A).map { Substring($0) }.filter {
            $0.utf8.starts(with: beginning.utf8)
        }
        #expect(lines.count == Self.texts.count)
        for (text, line) in zip(Self.texts, lines) {
            let found = label(line.utf8.dropFirst(beginning.utf8.count))
            expectSame(found?.value, text, "metrics")
            #expect(found.map { String(Substring($0.rest)) } == #",market="bitcoin",severity="warning"} 1"#)
        }
    }

    // MARK: Channels

    private func sent(_ service: HTTPService, _ event: AlertEvent, _ field: String) throws -> String {
        let body = service.body(Told.message(event)).bytes
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return try #require(object?[field] as? String)
    }

    @Test("Slack: nothing begins a mention or a link")
    func slack() throws {
        for text in Self.texts {
            let event = event(text)
            let sent = try sent(.slack(url: "https://hooks.slack.com/services/a/b/c"), event, "text")
            #expect(
                !sent.unicodeScalars.contains("<") && !sent.unicodeScalars.contains(">"), "\(text.debugDescription)")
            let plain = Self.withoutEntities(Array(sent.utf8))
            expectSame(plain, MessageText(Told.message(event)).fitted(toBytes: 4000), "Slack")
        }
    }

    /// Nil where a `&` begins no entity.
    private static func withoutEntities(_ text: [UInt8]) -> String? {
        var (plain, rest) = ([UInt8](), text[...])
        while let first = rest.first {
            guard first == UInt8(ascii: "&") else {
                plain.append(rest.removeFirst())
                continue
            }
            let entities = [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")]
            guard let (entity, meaning) = entities.first(where: { rest.starts(with: $0.0.utf8) }) else { return nil }
            rest.removeFirst(entity.utf8.count)
            plain += Array(meaning.utf8)
        }
        return String(decoding: plain, as: UTF8.self)
    }

    @Test("Discord: nothing formats, hides, quotes or links")
    func discord() throws {
        let formatting: Set<Unicode.Scalar> = ["*", "_", "~", "`", "|", ">", "#", "<", "[", "]", "@"]
        for text in Self.texts {
            let event = event(text)
            let sent = try sent(.discord(url: "https://discord.com/api/webhooks/1/a"), event, "content")
            var plain = String.UnicodeScalarView()
            var isEscaped = false
            for scalar in sent.unicodeScalars {
                if scalar == "\\", !isEscaped {
                    isEscaped = true
                    continue
                }
                if formatting.contains(scalar), !isEscaped {
                    Issue.record("Discord: \(text.debugDescription): \(sent)")
                }
                isEscaped = false
                plain.append(scalar)
            }
            expectSame(String(plain), MessageText(Told.message(event)).fitted(toBytes: 2000), "Discord")
        }
    }

    @Test("ntfy, Telegram and a webhook get each text as it is")
    func asItIs() throws {
        for text in Self.texts {
            let event = event(text)
            let line = "rule \(text.asOneLine) on box"
            for (service, field) in [
                (HTTPService.ntfy(url: "https://ntfy.sh/t", token: nil), "message"),
                (.telegram(chat: "1", token: "t"), "text"),
            ] {
                let last = try sent(service, event, field).unicodeScalars.split(separator: "\n").last
                expectSame(last.map { String(String.UnicodeScalarView($0)) }, line, field)
            }
            let body = HTTPService.webhook(url: "https://example.org").body(Told.message(event)).bytes
            let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            let events = try #require(object?["events"] as? [[String: Any]])
            for key in ["rule", "symbol", "name", "note"] { expectSame(events[0][key] as? String, text, key) }
        }
    }

    // MARK: Rows and lines

    /// RFC 4180, byte by byte.
    private func cells(_ line: String) -> [String] {
        var cells: [[UInt8]] = [[]]
        var (isQuoted, wasQuote) = (false, false)
        for byte in line.utf8 {
            switch byte {
            case UInt8(ascii: "\""):
                if isQuoted {
                    (isQuoted, wasQuote) = (false, true)
                } else {
                    if wasQuote { cells[cells.count - 1].append(byte) }
                    (isQuoted, wasQuote) = (true, false)
                }
                continue
            case UInt8(ascii: ",") where !isQuoted: cells.append([])
            default: cells[cells.count - 1].append(byte)
            }
            wasQuote = false
        }
        return cells.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("CSV: a cell holds its text and begins no formula")
    func csv() {
        for text in Self.texts {
            let found = cells([text, "1.5", text].map(CSV.quoted).joined(separator: ","))
            #expect(found.count == 3 && found[1] == "1.5", "\(text.debugDescription)")
            for cell in [found.first, found.last] {
                let isNumber = text.utf8.count > 1 && text.utf8.dropFirst().allSatisfy { $0 == UInt8(ascii: "0") }
                guard let first = text.unicodeScalars.first, "=+-@".unicodeScalars.contains(first),
                    !(isNumber && "+-".unicodeScalars.contains(first))
                else {
                    expectSame(cell, text, "CSV")
                    continue
                }
                expectSame(cell, "'" + text, "CSV")
            }
        }
    }

    @Test(
        "CSV: a number stays one",
        arguments: [
            ("-1.5", "-1.5"), ("+7", "+7"), ("-1e-7", "-1e-7"), ("=1", "'=1"), ("-", "'-"), ("-1-1", "'-1-1"),
            ("+1\u{301}", "'+1\u{301}"), ("@SUM(1,2)", "\"'@SUM(1,2)\""), ("-2+3", "'-2+3"),
            ("=\"x\"", "\"'=\"\"x\"\"\""),
        ])
    func csvNumbers(text: String, cell: String) { #expect(CSV.quoted(text) == cell) }

    @Test("JSON")
    func json() throws {
        for text in Self.texts {
            var json = JSONWriter()
            json.array { json in
                json.string(text)
                json.string("end")
            }
            let found = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String]
            #expect(found?.count == 2 && found?.last == "end")
            expectSame(found?.first, text, "JSON")
        }
    }

    @Test("log lines")
    func logLines() throws {
        for text in Self.texts {
            var fields = LogFields()
            fields.add("rule", text)
            fields.add("after", "1")
            let line = LoggedLine(time: Told.now, level: .info, event: "x", fields: fields).text(.text)
            let (beginning, end) = ("2026-11-21T10:00:00.000Z info x rule=", " after=1\n")
            #expect(line.utf8.starts(with: beginning.utf8) && line.utf8.reversed().starts(with: end.utf8.reversed()))
            let word = String(
                decoding: line.utf8.dropFirst(beginning.utf8.count).dropLast(end.utf8.count), as: UTF8.self)
            let isJSON = word.utf8.first == UInt8(ascii: "\"")
            #expect(isJSON || word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") })
            let read = isJSON ? try JSONSerialization.jsonObject(with: Data("[\(word)]".utf8)) as? [String] : [word]
            expectSame(read?.first, text, "log")
        }
    }

    // MARK: Terminal

    @Test("the first line of status holds no bar, and no line more")
    func statusLine() throws {
        for text in Self.texts {
            var report = StatusReport()
            (report.state, report.writtenAt) = (.degraded, Told.now)
            report.pid = 1
            report.expiresAt = Told.now + .minutes(1)
            report.reasons = [.init(.marketMissing, "missing: \(text)\n")]
            let read = try #require(StatusReport(json: Data(report.json)))
            let line = StatusVerdict(read, alive: true, file: "", now: Told.now).line
            #expect(
                !line.unicodeScalars.contains("|") && !line.unicodeScalars.contains("\n"), "\(line.debugDescription)")
            let shown = text.unicodeScalars.map { $0 == "|" ? "/" : SafeText.printable(String($0)) }.joined()
            #expect(Array(line.unicodeScalars).contains(Array("missing: \(shown)".unicodeScalars)), "\(line)")
        }
    }
}

/// The same numbers from the same state on every machine.
private struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) ^ (state << 31)
    }
}
