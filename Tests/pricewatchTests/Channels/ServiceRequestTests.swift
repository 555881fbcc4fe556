import Engine
import Foundation
import MarketSimulator
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// Each service's request, field by field, as it arrives.
@Suite struct ServiceRequestTests {
    private static func sent(
        _ message: Message, _ service: (ChannelScene) -> HTTPService
    ) async throws -> LoopbackServer.Request {
        try await ChannelScene.with { scene in
            _ = try await scene.channel(service(scene)).deliver(message)
            return try #require(scene.requests.first)
        }
    }

    private static func checkCommon(_ request: LoopbackServer.Request, _ message: Message) {
        #expect(request.method == "POST")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["idempotency-key"] == message.id)
        #expect(request.headers["user-agent"] == "pricewatch/\(Version.current)")
    }

    @Test func `webhook`() async throws {
        let message = Told.message(Told.event(note: "a \"quoted\"\nnote 🚀"), Told.event(price: nil))
        let request = try await Self.sent(message) { .webhook(url: $0.server.baseURL + "/hooks/abc?key=1") }
        Self.checkCommon(request, message)
        #expect(request.target == "/hooks/abc?key=1")
        let object = try request.object()
        #expect(object["schema"] as? Int == 1)
        #expect(object["note"] == nil)
        let events = try #require(object["events"] as? [[String: Any]])
        #expect(events.count == 2)
        #expect(events[0]["note"] as? String == "a \"quoted\"\nnote 🚀")
        #expect(events[0]["price"] as? String == "59990")
        #expect(events[1]["price"] is NSNull)
    }

    @Test func `a note to a webhook`() async throws {
        let request = try await Self.sent(Told.note) { .webhook(url: $0.server.baseURL) }
        let object = try request.object()
        #expect((object["events"] as? [Any])?.isEmpty == true)
        let note = try #require(object["note"] as? [String: Any])
        #expect(note["kind"] as? String == "test")
        #expect(note["title"] as? String == "pricewatch: this is a test")
        #expect(note["lines"] as? [String] == ["one", "two"])
        #expect(note["at"] as? String == "2026-11-21T10:00:00Z")
        #expect(note["host"] as? String == "box")
    }

    @Test func `slack`() async throws {
        let message = Told.message(Told.event(name: "<!channel> & *bold*"))
        let request = try await Self.sent(message) { .slack(url: $0.server.baseURL + "/services/T0/B0/xyz") }
        Self.checkCommon(request, message)
        #expect(request.target == "/services/T0/B0/xyz")
        let object = try request.object()
        #expect(Set(object.keys) == ["text", "mrkdwn", "unfurl_links", "unfurl_media"])
        #expect(object["mrkdwn"] as? Bool == false)
        let text = try #require(object["text"] as? String)
        #expect(
            text.hasPrefix("▼ BTC 59,990 usd, below 60,000 (btc-below-60k)\n&lt;!channel&gt; &amp; *bold* (bitcoin)"))
    }

    @Test func `discord`() async throws {
        let message = Told.message(Told.event(name: "@everyone *x* _y_ <@1>"))
        let request = try await Self.sent(message) {
            .discord(url: $0.server.baseURL + "/api/webhooks/1/tok?thread_id=5")
        }
        Self.checkCommon(request, message)
        #expect(request.path == "/api/webhooks/1/tok")
        #expect(request.query == ["thread_id": "5", "wait": "true"])
        let object = try request.object()
        #expect(Set(object.keys) == ["content", "allowed_mentions", "flags"])
        #expect((object["allowed_mentions"] as? [String: [String]]) == ["parse": []])
        #expect(object["flags"] as? Int == 4)
        let content = try #require(object["content"] as? String)
        #expect(content.contains("\n\\@everyone \\*x\\* \\_y\\_ \\<\\@1\\> (bitcoin)"))
    }

    @Test(arguments: [("-1001234567890", -1_001_234_567_890 as Int64?), ("@prices", nil)])
    func `telegram`(chat: String, number: Int64?) async throws {
        let message = Told.message(Told.event(note: "*no* markdown_"))
        let request = try await Self.sent(message) { .telegram(chat: chat, token: "12:AbC", base: $0.server.baseURL) }
        Self.checkCommon(request, message)
        #expect(request.target == "/bot12:AbC/sendMessage")
        let object = try request.object()
        #expect(Set(object.keys) == ["chat_id", "text", "link_preview_options"])
        if let number {
            #expect((object["chat_id"] as? NSNumber)?.int64Value == number)
        } else {
            #expect(object["chat_id"] as? String == chat)
        }
        #expect((object["link_preview_options"] as? [String: Bool]) == ["is_disabled": true])
        #expect((object["text"] as? String)?.contains("\n*no* markdown_\n") == true)
    }

    @Test(arguments: [
        (AlertRule.Severity.info, 3, "information_source"), (.warning, 4, "warning"), (.critical, 5, "rotating_light"),
    ])
    func `ntfy`(severity: AlertRule.Severity, priority: Int, tag: String) async throws {
        let message = Told.message(Told.event(severity: severity, note: "line 1\nline 2 🚀"))
        let request = try await Self.sent(message) { .ntfy(url: $0.server.baseURL + "/my-topic", token: "tk_1234") }
        Self.checkCommon(request, message)
        #expect(request.target == "/")
        #expect(request.headers["authorization"] == "Bearer tk_1234")
        let object = try request.object()
        #expect(Set(object.keys) == ["topic", "title", "message", "priority", "tags"])
        #expect(object["topic"] as? String == "my-topic")
        #expect(object["title"] as? String == "▼ BTC 59,990 usd, below 60,000 (btc-below-60k)")
        #expect((object["message"] as? String)?.hasPrefix("line 1\nline 2 🚀\nBitcoin (bitcoin)") == true)
        #expect(object["priority"] as? Int == priority)
        #expect(object["tags"] as? [String] == [tag])
    }

    @Test func `ntfy without a token, below a path, for what is over`() async throws {
        let message = Told.message(Told.event(kind: .resolved, reason: .conditionEnded))
        let request = try await Self.sent(message) {
            .ntfy(url: $0.server.baseURL + "/push/my%20topic/?x=1", token: nil)
        }
        #expect(request.target == "/push/?x=1")
        #expect(request.headers["authorization"] == nil)
        let object = try request.object()
        #expect(object["topic"] as? String == "my topic")
        #expect(object["tags"] as? [String] == ["white_check_mark"])
    }

    // MARK: Lengths

    static let names = ["x", "👨‍👩‍👧‍👦", "e\u{301}", "\"", "\\", "a\n", "*", "&", "\u{1}"].map {
        String(repeating: $0, count: 4000)
    }

    @Test(arguments: names)
    func `4,000 characters are shortened to what each service takes`(name: String) throws {
        for message in [
            Told.message(Told.event(name: name, note: name)),
            Message(id: "m", events: (0..<60).map { Told.event(rule: "\($0) \(name)", symbol: name) }),
            Message(
                id: "n",
                note: Note(kind: .digest, title: name, lines: [name, name], at: Told.now, host: name)),
        ] {
            func text(_ body: [UInt8], _ field: String) throws -> String {
                let object = try JSONSerialization.jsonObject(with: Data(body))
                return try #require((object as? [String: Any])?[field] as? String)
            }
            func text(_ service: HTTPService, _ field: String) throws -> String {
                try text(service.body(message).bytes, field)
            }
            #expect(try text(.slack(url: "https://hooks.slack.com/services/a/b/c"), "text").utf16.count <= 4000)
            #expect(try text(.discord(url: "https://discord.com/api/webhooks/1/a"), "content").utf16.count <= 2000)
            #expect(try text(.telegram(chat: "1", token: "t"), "text").utf16.count <= 4096)
            let ntfy = HTTPService.ntfy(url: "https://ntfy.sh/t", token: nil).body(message).bytes
            #expect(ntfy.count <= 8192)
            #expect(try text(ntfy, "message").utf8.count < 4096)
            #expect(try !text(ntfy, "message").isEmpty)
            #expect(try text(ntfy, "title").unicodeScalars.count <= 60)
        }
    }

    @Test func `a webhook gets names whole, whatever they are`() throws {
        for name in Self.names {
            let body = HTTPService.webhook(url: "https://example.org").body(Told.message(Told.event(name: name))).bytes
            let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            let events = try #require(object?["events"] as? [[String: Any]])
            #expect(events[0]["name"] as? String == name)
        }
    }
}
