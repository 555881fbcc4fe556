import Engine
import Foundation
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// `web.url` in messages.
@Suite struct LinkTests {
    private static func linked(_ events: [AlertEvent], note: Note? = nil) throws -> Message {
        try Message(id: "m", events: events, note: note, page: PageURL("https://p.example/x_y_z"))
    }

    private static let cases: [(events: [AlertEvent], note: Note?, link: String)] = [
        ([Told.event()], nil, "/m/bitcoin"),
        ([Told.event(market: "a/b.svg")], nil, "/m/a%2Fb%2Esvg"),
        ([Told.event(rule: "a"), Told.event(rule: "b")], nil, "/m/bitcoin"),
        ([Told.event(), Told.event(market: "ethereum")], nil, "/alerts"),
        ([Told.event(.feedStale(.minutes(10)), market: "coingecko")], nil, "/status"),
        ([], Told.note.note, "/"),
        ([Told.event()], Told.note.note, "/"),
    ]

    @Test("a message links to what it is about", arguments: cases)
    func target(events: [AlertEvent], note: Note?, link: String) throws {
        #expect(try Self.linked(events, note: note).link == "https://p.example/x_y_z" + link)
        #expect(Message(id: "m", events: events, note: note).link == nil)
    }

    private static let link = "https://p.example/x_y_z/m/bit_coin%2Asv"

    @Test("as the last line where there is text, not escaped, and as the target of a tap at ntfy")
    func services() throws {
        let message = try Self.linked([Told.event(market: "bit_coin*sv", note: "a note")])
        func field(_ service: HTTPService, _ name: String, _ message: Message) throws -> String? {
            let object = try JSONSerialization.jsonObject(with: Data(service.body(message).bytes))
            return (object as? [String: Any])?[name] as? String
        }
        let texts: [(service: HTTPService, field: String)] = [
            (.slack(url: "https://hooks.slack.com/services/a/b/c"), "text"),
            (.discord(url: "https://discord.com/api/webhooks/1/a"), "content"),
            (.telegram(chat: "1", token: "t"), "text"),
        ]
        for (service, name) in texts {
            let text = try #require(try field(service, name, message))
            #expect(text.hasSuffix("\n" + Self.link), "\(service.kind): \(text)")
            var plain = message
            plain.page = nil
            #expect(try field(service, name, plain) == String(text.dropLast(Self.link.count + 1)))
        }
        let ntfy = HTTPService.ntfy(url: "https://ntfy.sh/t", token: nil)
        #expect(try field(ntfy, "click", message) == Self.link)
        #expect(try field(ntfy, "message", message)?.contains("https://") == false)
        #expect(try field(ntfy, "click", Told.message(Told.event())) == nil)
    }

    @Test("a webhook's body is the same")
    func webhook() throws {
        let service = HTTPService.webhook(url: "https://example.org")
        let events = [Told.event()]
        #expect(try service.body(Self.linked(events)).bytes == service.body(Message(id: "m", events: events)).bytes)
    }

    @Test("a program has it as the last line and as a variable")
    func program() throws {
        let message = try Self.linked([Told.event(market: "bit_coin*sv")])
        let environment = ChildEnvironment([:])
        let variables = environment.variables(for: message, json: message.json.bytes)
        #expect(variables["PRICEWATCH_URL"] == Self.link)
        #expect(variables["PRICEWATCH_TEXT"]?.hasSuffix("\n" + Self.link) == true)
        #expect(environment.variables(for: Told.note, json: [])["PRICEWATCH_URL"] == nil)
    }

    @Test("however long a text is, its link is whole")
    func room() throws {
        let name = String(repeating: "*", count: 4000)
        let base = "https://p.example/" + String(repeating: "a", count: 280)
        let event = Told.event(market: String(repeating: "*", count: 200), name: name, note: name)
        let message = try Message(id: "m", events: [event], page: PageURL(base))
        let body = HTTPService.discord(url: "https://discord.com/api/webhooks/1/a").body(message).bytes
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let content = try #require(object?["content"] as? String)
        #expect(content.utf16.count <= 2000 && content.contains("\n\\*\\*"))
        #expect(content.hasSuffix("\n\(base)/m/" + String(repeating: "%2A", count: 200)))
    }
}
