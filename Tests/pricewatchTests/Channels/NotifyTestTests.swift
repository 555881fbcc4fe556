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

    @Test func `what does not arrive is 69`() async throws {
        try await ChannelScene.with(.init(status: 500)) { scene in
            let complaint = try await #expect(throws: CommandError.self) {
                try await NotifyTest.send(
                    to: "ops", of: [Self.channel("ops", url: scene.server.baseURL)], host: "box", now: Told.now,
                    transport: scene.transport)
            }.unwrapped()
            #expect(complaint.description == "send to ops (webhook): 500 Internal Server Error")
            #expect(complaint.exitCode == Exit.noAnswer)
        }
    }
}
