import Engine
import Foundation
import HTTP
import MarketSimulator
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// What becomes of an answer, or of none.
@Suite struct DeliveryTests {
    private static let message = Told.message(Told.event())

    private static func failure(
        _ reply: LoopbackServer.Reply, timeout: Duration = .seconds(10), _ service: (ChannelScene) -> HTTPService
    ) async throws -> DeliveryError {
        try await ChannelScene.with(reply) { scene in
            await #expect(throws: DeliveryError.self) {
                try await scene.channel(service(scene), timeout: timeout).deliver(message)
            }
        }.unwrapped()
    }

    @Test(arguments: [
        (200, "ok", "200 OK: \"ok\""), (201, "", "201 Created"), (204, "", "204 No Content"),
        (202, "a\u{1b}[31m\nb", "202 Accepted: \"a\\u001b[31m\\u000ab\""), (299, "", "299"),
    ])
    func `any 2xx is delivered`(status: Int, body: String, answer: String) async throws {
        let receipt = try await ChannelScene.with(.init(status: status, text: body)) { scene in
            try await scene.channel(.webhook(url: scene.server.baseURL)).deliver(Self.message)
        }
        #expect(receipt == answer)
    }

    @Test(arguments: [LoopbackServer.Reply.Transfer.half, .blanks(10 << 20, declaresLength: false)])
    func `also where the rest of the answer is lost or endless`(transfer: LoopbackServer.Reply.Transfer) async throws {
        let receipt = try await ChannelScene.with(.init(text: "hello", transfer: transfer)) { scene in
            try await scene.channel(.webhook(url: scene.server.baseURL)).deliver(Self.message)
        }
        #expect(receipt.hasPrefix("200 OK") && receipt.utf8.count < 200)
    }

    @Test(arguments: [
        (301, true), (302, true), (307, true), (400, true), (401, true), (403, true), (404, true), (405, true),
        (408, false), (409, true), (410, true), (413, true), (422, true), (425, true), (429, false), (500, false),
        (501, false), (502, false), (503, false), (504, false), (507, false), (599, false),
    ])
    func `what may be tried again`(status: Int, isPermanent: Bool) async throws {
        let error = try await Self.failure(.init(status: status, headers: ["Location": "/x"])) {
            .webhook(url: $0.server.baseURL + "/hook")
        }
        #expect(error.isPermanent == isPermanent)
        #expect(error.description.hasPrefix("send to ops (webhook): \(status)"))
        #expect(error.retryAfter == nil)
        #expect(error.description.contains("redirects are not followed") == (300...399).contains(status))
    }

    @Test(arguments: [
        (429, "120", Duration.seconds(120) as Duration?), (503, "1.5", .milliseconds(1500)), (500, "0", nil),
        (429, "Sat, 21 Nov 2026 10:00:30 GMT", .seconds(30)), (429, "Sat, 21 Nov 2026 09:00:00 GMT", nil),
        (429, "soon", nil), (429, "99999999", .hours(24 * 32)), (400, "120", nil),
    ])
    func `a wait that the service asks for`(status: Int, header: String, wait: Duration?) async throws {
        let reply = LoopbackServer.Reply(status: status, headers: ["Retry-After": header])
        let error = try await Self.failure(reply) { .webhook(url: $0.server.baseURL) }
        #expect(error.retryAfter == wait)
    }

    @Test func `a wait that Discord and Telegram ask for in the body`() async throws {
        let discord = try await Self.failure(
            .json(
                "{\"message\": \"You are being rate limited.\", \"retry_after\": 0.6412, \"global\": false}",
                status: 429)
        ) { .discord(url: $0.server.baseURL + "/api/webhooks/1/abcdef") }
        #expect(discord.retryAfter == .milliseconds(642) && !discord.isPermanent)
        #expect(discord.description == "send to ops (discord): 429 Too Many Requests: You are being rate limited.")
        let telegram = try await Self.failure(
            .json(
                """
                {"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}
                """, status: 429, headers: ["Retry-After": "3"])
        ) { .telegram(chat: "1", token: "12:abcdef", base: $0.server.baseURL) }
        #expect(telegram.retryAfter == .seconds(7))
    }

    /// The services' own words, with a hint where one is known.
    private static func words(_ reply: LoopbackServer.Reply, _ service: (ChannelScene) -> HTTPService) async throws
        -> String
    {
        let error = try await failure(reply, service)
        #expect(error.isPermanent)
        return error.description
    }

    @Test(arguments: [
        (
            404, "no_service",
            "404 Not Found: \"no_service\" (the webhook was removed or disabled: make a new one in Slack)"
        ),
        (
            403, "invalid_token",
            "403 Forbidden: \"invalid_token\" (the webhook was removed or disabled: make a new one in Slack)"
        ),
        (410, "channel_is_archived", "410 Gone: \"channel_is_archived\" (give the webhook a channel that exists)"),
        (400, "no_text", "400 Bad Request: \"no_text\""),
    ])
    func `slack's errors`(status: Int, body: String, text: String) async throws {
        let words = try await Self.words(.init(status: status, text: body)) {
            .slack(url: $0.server.baseURL + "/services/T/B/secretpart")
        }
        #expect(words == "send to ops (slack): " + text)
    }

    @Test(arguments: [
        (401, "Unauthorized", "401 Unauthorized: Unauthorized (check the bot's token, as @BotFather gave it)"),
        (404, "Not Found", "404 Not Found: Not Found (check the bot's token, as @BotFather gave it)"),
        (
            400, "Bad Request: chat not found",
            "400 Bad Request: Bad Request: chat not found (check the chat's number, write to the bot first, or add it to the chat)"
        ),
        (
            403, "Forbidden: bot was blocked by the user",
            "403 Forbidden: Forbidden: bot was blocked by the user (the bot may not write there: write to it first, or add it to the chat)"
        ),
    ])
    func `telegram's errors`(status: Int, description: String, text: String) async throws {
        let body = "{\"ok\":false,\"error_code\":\(status),\"description\":\"\(description)\"}"
        let words = try await Self.words(.json(body, status: status)) {
            .telegram(chat: "1", token: "12:abcdef", base: $0.server.baseURL)
        }
        #expect(words == "send to ops (telegram): " + text)
    }

    @Test func `a group that got a new number`() async throws {
        let body = """
            {"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat",\
            "parameters":{"migrate_to_chat_id":-1001234567890}}
            """
        let words = try await Self.words(.json(body, status: 400)) {
            .telegram(chat: "-42", token: "12:abcdef", base: $0.server.baseURL)
        }
        #expect(words.hasSuffix("(the group has a new number: -1001234567890)"))
    }

    @Test func `discord's and ntfy's errors`() async throws {
        let discord = try await Self.words(.json("{\"message\": \"Unknown Webhook\", \"code\": 10015}", status: 404)) {
            .discord(url: $0.server.baseURL + "/api/webhooks/1/abcdef")
        }
        #expect(
            discord
                == "send to ops (discord): 404 Not Found: Unknown Webhook (the webhook was removed: make a new one in the channel's settings)"
        )
        let ntfy = try await Self.words(
            .json(
                "{\"code\":40301,\"http\":403,\"error\":\"forbidden\",\"link\":\"https://ntfy.sh/docs\"}", status: 403)
        ) { .ntfy(url: $0.server.baseURL + "/alerts", token: nil) }
        #expect(
            ntfy
                == "send to ops (ntfy): 403 Forbidden: forbidden (the topic is protected: give a token that may write to it)"
        )
    }

    // MARK: Where there is no answer

    @Test(arguments: [LoopbackServer.Reply.reset, .hang])
    func `a broken or silent connection may be tried again`(reply: LoopbackServer.Reply) async throws {
        let error = try await Self.failure(reply, timeout: reply == .hang ? .milliseconds(50) : .seconds(10)) {
            .webhook(url: $0.server.baseURL + "/hook-of-mine")
        }
        #expect(!error.isPermanent && error.retryAfter == nil)
        if reply == .hang { #expect(error.description == "send to ops (webhook): no answer within 50ms") }
    }

    @Test func `no server listens`() async throws {
        let gone = try await ChannelScene()
        let url = gone.server.baseURL
        await gone.finish()
        try await ChannelScene.with { scene in
            let error = try await #expect(throws: DeliveryError.self) {
                try await scene.channel(.webhook(url: url)).deliver(Self.message)
            }.unwrapped()
            #expect(error.description == "send to ops (webhook): no connection: connection refused")
            #expect(!error.isPermanent)
        }
    }

    // MARK: Secrets

    @Test func `no text holds what the channel must not give away`() async throws {
        let url = "/services/T0000/B0000/S3cr3tOfMine?auth=S3cr3tQuery"
        let echoes: @Sendable (LoopbackServer.Request) -> LoopbackServer.Reply = { request in
            let path = request.target.replacing("/", with: "\\/")
            return .init(
                status: 404,
                text: "Cannot POST \(request.target) on 127.0.0.1, \(path) \(request.headers["authorization"] ?? "")")
        }
        let secrets = ["s3cr3t", "12:AbCdEf", "T0000", "127.0.0.1", "tk_abcdefg"]
        try await ChannelScene.using(ChannelScene(echoes)) { scene in
            let base = scene.server.baseURL
            let errors = [
                await Self.text(scene, .webhook(url: base + url)), await Self.text(scene, .slack(url: base + url)),
                await Self.text(scene, .discord(url: base + url)),
                await Self.text(scene, .telegram(chat: "1", token: "12:AbCdEf", base: base)),
                await Self.text(scene, .ntfy(url: base + url, token: "tk_abcdefg")),
            ]
            for error in errors {
                #expect(error.contains("404 Not Found"))
                for secret in secrets { #expect(!error.lowercased().contains(secret.lowercased()), "\(error)") }
            }
        }
    }

    private static func text(_ scene: ChannelScene, _ service: HTTPService) async -> String {
        do {
            return try await scene.channel(service).deliver(message)
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        TransportFault.dns("no address found for hooks.example.org"),
        .transport("https://hooks.example.org/a/S3cr3tOfMine: it broke"),
        .transport("HOOKS.EXAMPLE.ORG/a/S3cr3tOfMine"), .tls("host hooks.example.org"), .connect("S3cr3tOfMine"),
    ])
    func `nor where the system names them`(fault: TransportFault) {
        let words = DeliveryTexts(channel: "ops", .webhook(url: "https://hooks.example.org/a/S3cr3tOfMine")).failure(
            fault)
        #expect(!words.lowercased().contains("example") && !words.contains("S3cr3t"), "\(words)")
        #expect(words.contains("***"))
    }

    @Test(arguments: ["S3cr3tOfMine\u{301}", "\u{D4E}S3cr3tOfMine", "s3CR3TOFMINE\u{20E3}"])
    func `a mark beside a secret does not hide it`(said: String) {
        let words = DeliveryTexts(channel: "ops", .webhook(url: "https://example.org/a/S3cr3tOfMine"))
        let text = words.refusal(HTTPAnswer(status: 500, headers: [:], body: Data(said.utf8)))
        #expect(!Array(text.lowercased().utf8).contains(Array("s3cr3t".utf8)), "\(text)")
    }

    @Test func `what a server says is cut, also where it is one character of many marks`() {
        let body = "a" + String(repeating: "\u{301}", count: 30_000)
        let words = DeliveryTexts(channel: "ops", .webhook(url: "https://example.org/S3cr3tOfMine"))
        let text = words.refusal(HTTPAnswer(status: 500, headers: [:], body: Data(body.utf8)))
        #expect(text.utf8.count < 2000, "\(text.utf8.count) bytes")
    }

    @Test func `a secret is taken out before a text is cut`() {
        let body = String(repeating: "x", count: 190) + "S3cr3tOfMine"
        let words = DeliveryTexts(channel: "ops", .webhook(url: "https://example.org/S3cr3tOfMine"))
        let text = words.refusal(HTTPAnswer(status: 500, headers: [:], body: Data(body.utf8)))
        #expect(!text.contains("S3c"))
    }
}

extension Optional {
    /// What an expectation that has already been reported as failed did not give.
    func unwrapped() throws -> Wrapped { try #require(self) }
}
