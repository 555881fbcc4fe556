import Engine
import Foundation
import Markets
import Testing

@testable import Channels
@testable import pricewatch

@Suite struct WebhookSchemaTests {
    private let schema: JSONSchema

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../.."
        schema = try JSONSchema(at: root + "/etc/webhook.schema.json")
    }

    private func body(_ message: Message) -> [UInt8] {
        HTTPService.webhook(url: "https://example.org").body(message).bytes
    }

    @Test(arguments: AlertEvent.Kind.allCases, AlertRule.Severity.allCases)
    func `every body holds to it`(kind: AlertEvent.Kind, severity: AlertRule.Severity) throws {
        for reason in AlertReason.allCases {
            let full = Told.event(
                change: "-5.25", threshold: "0.00000001", kind: kind, reason: reason, severity: severity, note: "🚀",
                late: 7)
            let bare = Told.event(
                price: nil, kind: kind, reason: reason, symbol: "", name: "", quotedAt: nil, since: nil)
            #expect(try schema.faults(in: body(Told.message(full, bare))) == [])
        }
        #expect(try schema.faults(in: body(Told.note)) == [])
    }

    @Test func `it describes every field there is`() throws {
        let events = try JSONSerialization.jsonObject(with: Data(body(Told.message(Told.event())))) as? [String: Any]
        let event = try #require((events?["events"] as? [[String: Any]])?.first)
        #expect(schema.fields(of: "event") == Set(event.keys))
        let object = try JSONSerialization.jsonObject(with: Data(body(Told.note))) as? [String: Any]
        let note = try #require(object?["note"] as? [String: Any])
        #expect(schema.fields(of: "note") == Set(note.keys))
    }

    @Test(arguments: [
        "{}", "[]", "{\"schema\": 2, \"events\": []}", "{\"schema\": 1, \"events\": {}}",
        "{\"schema\": 1, \"events\": [{}]}", "{\"schema\": 1, \"events\": [], \"note\": {\"kind\": 1}}",
    ])
    func `what does not hold to it is found`(text: String) throws {
        #expect(try !schema.faults(in: Array(text.utf8)).isEmpty)
    }

    @Test(arguments: [
        ("price", "\"1e5\""), ("price", "60000"), ("at", "\"today\""), ("severity", "\"loud\""), ("late_s", "-1"),
        ("event_id", "\"x\""), ("change_percent", "\"5\""),
    ])
    func `a field of another form is found`(field: String, value: String) throws {
        let text = String(decoding: body(Told.message(Told.event())), as: UTF8.self)
        let pattern = "\"\(field)\":(\"[^\"]*\"|[^,]*)"
        let spoilt = text.replacingOccurrences(of: pattern, with: "\"\(field)\":\(value)", options: .regularExpression)
        #expect(spoilt != text)
        #expect(try schema.faults(in: Array(spoilt.utf8)).contains { $0.contains(".\(field):") })
    }
}
