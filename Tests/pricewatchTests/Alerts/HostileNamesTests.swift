import Foundation
import History
import Markets
import Testing

@testable import Engine
@testable import Views
@testable import pricewatch

/// Names with quotes, line breaks, escape sequences and 200 characters reach log, status and commands unharmed and
/// harmless.
@Suite struct HostileNamesTests {
    static let names = [
        #"say "hi" and 'bye'"#, "two\nlines\r\nthree", "\u{1B}[31mred\u{1B}[0m \u{1B}]0;title\u{07}",
        "tab\tand\u{0}nul",
        "right\u{202E}to left", "back\\slash \\\" {json: [", "$(touch /tmp/x); `id` | & < >", "ünï 😀 名前",
        String(repeating: "x", count: 200), #"event_id=1 price=2"#,
    ]

    private func isPrintable(_ text: String) -> Bool { !text.unicodeScalars.contains(where: \.isUnprintable) }

    private func event(_ name: String) throws -> AlertEvent {
        AlertEvent(
            id: "0123456789abcdef", kind: .firing, reason: .firstFiring, rule: name, market: try MarketID("bitcoin"),
            symbol: name, name: name, currency: .usd, severity: .critical, note: name, condition: "above 1", price: nil,
            threshold: nil, at: Date(milliseconds: 0), quotedAt: nil, since: Date(milliseconds: 0), feed: name,
            host: "box")
    }

    @Test("one log line, and in both formats the name comes back", arguments: names)
    func log(name: String) throws {
        let lines = Lines()
        let log = EventLog(level: .info, outlets: [lines], now: { Date(milliseconds: 0) })
        log.write(.alert(try event(name)))
        let line = try #require(lines.all.first)
        let text = line.text(.text)
        #expect(text.filter(\.isNewline).count == 1 && text.hasSuffix("\n"))
        #expect(isPrintable(String(text.dropLast())))
        #expect(text.contains(" event_id=0123456789abcdef "))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(line.text(.json).utf8)) as? [String: Any])
        #expect(json["rule"] as? String == name)
        #expect(json["note"] as? String == name)
    }

    @Test("the event object is JSON, whatever the names", arguments: names)
    func json(name: String) throws {
        var writer = JSONWriter()
        try event(name).write(&writer)
        #expect(isPrintable(writer.text))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
        for key in ["rule", "symbol", "name", "note", "feed"] { #expect(json[key] as? String == name) }
        #expect(json.count == 21)
    }

    @Test("a table for people stays a table", arguments: names)
    func table(name: String) throws {
        let event = try event(name)
        let lines = AlertsView.lines(
            [event], firing: [event], onlyFiring: false, Terminal(environment: [:]), in: .utc,
            now: Date(milliseconds: 60_000))
        #expect(lines.count == 4)
        for line in lines {
            #expect(isPrintable(line))
            #expect(line.count < 260)
        }
        var silenced = event
        silenced.silencedUntil = Date(milliseconds: 60_000)
        let marked = AlertsView.lines(
            [event, silenced], firing: [], onlyFiring: false, Terminal(environment: [:]), in: .utc,
            now: Date(milliseconds: 60_000))
        #expect(marked.map { $0.contains("firing (silenced)") } == [false, false, true, false, false])
        let silence = Silence(id: 1, rule: name, market: nil, since: event.at, until: Date(milliseconds: 3_600_000))
        #expect(isPrintable(silence.words(in: .utc)))
    }

    @Test("through configuration, daemon, database and commands")
    func endToEnd() async throws {
        let accepted = try Self.names.filter { name in
            let file = "alerts: [{name: \(JSONString.quoted(name)), market: bitcoin, above: 1}]"
            return try ConfigurationScene().faults(file).isEmpty
        }
        #expect(accepted.count >= 5)
        let rules = accepted.map {
            "  - {name: \(JSONString.quoted($0)), market: bitcoin, above: 1, note: \(JSONString.quoted($0))}"
        }
        let price = try #require(Price(parsing: "2"))
        let scene = try DaemonScene(
            "alerts:\n" + rules.joined(separator: "\n"), script: [try MarketID("bitcoin"): [price]])
        try await scene.start()
        await scene.poll()
        let status = try scene.status()
        #expect(Set(status.firing.map(\.rule)) == Set(accepted))
        let reader = try HistoryReader(at: scene.database)
        #expect(try Set(reader.events(since: .distantPast).map(\.rule)) == Set(accepted))
        for name in accepted {
            try CommandDatabase(at: scene.database).silence(
                rule: name, market: nil, from: scene.time.now(), until: scene.time.now() + .hours(1))
        }
        await scene.poll()
        let silenced = try scene.status().silences
        #expect(Set(silenced.compactMap(\.rule)) == Set(accepted))
        #expect(scene.log("alert.firing").count == accepted.count)
        await scene.stop()
    }
}
