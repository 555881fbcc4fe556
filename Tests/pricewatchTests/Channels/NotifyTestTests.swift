import Channels
import Foundation
import HTTP
import MarketSimulator
import Testing

@testable import pricewatch

@Suite struct NotifyTestTests {
    private static func channel(_ name: String, url: String) -> Configuration.Channel {
        Configuration.Channel(routing: .init(name: name), address: .webhook(url: Secret(url)))
    }

    @Test func `sends one note and shows the answer`() async throws {
        try await ChannelScene.with(.init(status: 204)) { scene in
            let answer = try await NotifyTest.send(
                to: "ops", of: [Self.channel("ops", url: scene.server.baseURL)], host: "box", now: Told.now,
                transport: scene.transport)
            #expect(answer == "204 No Content")
            #expect(scene.requests.count == 1)
            let note = try #require(try scene.requests[0].object()["note"] as? [String: Any])
            #expect(note["kind"] as? String == "test")
            #expect(note["host"] as? String == "box")
        }
    }

    @Test(arguments: [
        ("opps", "find the channel opps: there is none of this name (did you mean ops?)"),
        ("zzz", "find the channel zzz: there is none of this name (there are ops, phone)"),
    ])
    func `an unknown channel is 65`(name: String, text: String) async throws {
        try await ChannelScene.with { scene in
            let channels = ["ops", "phone"].map { Self.channel($0, url: scene.server.baseURL) }
            let complaint = try await #expect(throws: CommandError.self) {
                try await NotifyTest.send(
                    to: name, of: channels, host: "box", now: Told.now, transport: scene.transport)
            }.unwrapped()
            #expect(complaint.description == text)
            #expect(complaint.exitCode == Exit.noSuchData)
        }
    }

    @Test(
        "what does not arrive is 69, and the error names the host, not the path, and what to do",
        arguments: [
            (500, "500 Internal Server Error", ": check that it runs and can be reached, or try again later"),
            (404, "404 Not Found (check the URL)", ""),
            (403, "403 Forbidden (check what the URL must hold to be let in)", ""),
            (301, "301 Moved Permanently (redirects are not followed: give the URL that it leads to)", ""),
        ])
    func refused(status: Int, cause: String, advice: String) async throws {
        try await ChannelScene.with(.init(status: status)) { scene in
            let complaint = try await #expect(throws: CommandError.self) {
                try await NotifyTest.send(
                    to: "ops", of: [Self.channel("ops", url: scene.server.baseURL + "/hush?key=hush")], host: "box",
                    now: Told.now, transport: scene.transport)
            }.unwrapped()
            let host = scene.server.baseURL.dropFirst("http://".count)
            #expect(complaint.description == "send to ops (webhook): \(cause); the host is \(host)\(advice)")
            #expect(complaint.exitCode == Exit.noAnswer)
        }
    }

    @Test("each service by its host; a program has none")
    func hosts() {
        let url = Secret("https://user:hush@ntfy.example.org:8443/hush?key=hush")
        let addresses: [ChannelAddress] = [
            .webhook(url: url), .slack(url: url), .discord(url: url), .ntfy(url: url, token: nil),
            .telegram(chat: "1", token: url), .exec(["/hush"]),
        ]
        let host = "ntfy.example.org:8443"
        #expect(addresses.map(\.host) == [host, host, host, host, "api.telegram.org", nil])
    }
}
