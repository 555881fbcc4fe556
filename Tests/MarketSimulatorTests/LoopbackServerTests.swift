import Foundation
import Markets
import TestSupport
import Testing

@testable import MarketSimulator

@Suite struct LoopbackServerTests {
    @Test func decodesWhatARequestAsks() async throws {
        let handler: LoopbackServer.Handler = { request in
            let items = request.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let key = request.headers["x-key"] ?? "none"
            return .json("\(request.method) \(request.path) \(items) \(key)")
        }
        try await withServer(handler) { server async throws in
            let url = server.baseURL + "/a/b%5Bc%5D?ids=x%2Cy+z&empty&a=1&a=2"
            let answer = try await get(url, headers: ["X-Key": "k"])
            #expect(answer.text == #"GET /a/b[c] ["a=2", "empty=", "ids=x,y z"] k"#)
        }
    }

    @Test func handsOverTheBody() async throws {
        let handler: LoopbackServer.Handler = { .json(String(decoding: $0.body, as: UTF8.self)) }
        try await withServer(handler) { server async throws in
            let post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
            let exchange = try await RawClient.send(post, port: server.port)
            #expect(exchange.text.hasSuffix("\r\n\r\nhello"))
            #expect(exchange.end == .closed)
        }
    }

    @Test func keepsAConnectionAlive() async throws {
        let handler: LoopbackServer.Handler = { .json("answer \($0.path)") }
        try await withServer(handler) { server async throws in
            let two = ["/1", "/2"].map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
            let exchange = try await RawClient.send(two, port: server.port) { $0.contains("answer /2") }
            #expect(exchange.text.contains("answer /1"))
            #expect(exchange.end == .enough)
        }
    }

    @Test(arguments: [204, 304]) func sendsNoBodyWhereNoneBelongs(status: Int) async throws {
        let handler: LoopbackServer.Handler = { _ in .json("never", status: status) }
        try await withServer(handler) { server async throws in
            let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let exchange = try await RawClient.send(request, port: server.port)
            #expect(exchange.text.hasPrefix("HTTP/1.1 \(status) "))
            #expect(exchange.text.hasSuffix("\r\n\r\n"))
            #expect(!exchange.text.contains("Content-Length"))
        }
    }

    @Test func passesCompressedBytesThrough() async throws {
        let gzip: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 51, 52, 50, 54, 49, 5, 0, 28, 58, 245, 203, 5, 0, 0, 0,
        ]
        let handler: LoopbackServer.Handler = { _ in
            var reply = LoopbackServer.Reply(headers: ["Content-Encoding": "gzip"])
            reply.body = gzip
            return reply
        }
        try await withServer(handler) { server in
            let answer = try await get(server.baseURL)
            #expect(answer.headers["content-encoding"] == "gzip")
            #expect(answer.text == "12345")
        }
    }

    @Test(arguments: [true, false]) func streamsHugeBodies(declaresLength: Bool) async throws {
        let count = 5_000_001
        let handler: LoopbackServer.Handler = { _ in
            .init(transfer: .blanks(count, declaresLength: declaresLength))
        }
        try await withServer(handler) { server async throws in
            let answer = try await get(server.baseURL)
            #expect(answer.body.count == count)
            #expect(answer.headers["content-length"] == (declaresLength ? "\(count)" : nil))
        }
    }

    @Test func aClientMayLeaveAHugeBody() async throws {
        let handler: LoopbackServer.Handler = { _ in .init(transfer: .blanks(1 << 40, declaresLength: true)) }
        try await withServer(handler) { server async throws in
            let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
            let exchange = try await RawClient.send(get, port: server.port) { $0.utf8.count > 10_000 }
            #expect(exchange.text.contains("Content-Length: \(1 << 40)"))
        }
    }

    @Test func saysThatAPortIsTaken() async throws {
        let handler: LoopbackServer.Handler = { _ in .reset }
        try await withServer(handler) { server async throws in
            let error = await #expect(throws: LoopbackServer.StartError.self) {
                _ = try await LoopbackServer.start(port: server.port) { _ in .reset }
            }
            #expect(error?.port == server.port)
            #expect(error?.description.contains("127.0.0.1:\(server.port): the port is taken") == true)
        }
    }

    @Test(arguments: [-1, 65_536]) func refusesWhatIsNoPort(port: Int) async throws {
        let error = await #expect(throws: LoopbackServer.StartError.self) {
            _ = try await LoopbackServer.start(port: port) { _ in .reset }
        }
        #expect(error?.description.contains("\(port): no such port") == true)
    }

    @Test func aStoppedServerFreesItsPort() async throws {
        let first = try await startOnQuietPort()
        // A connection that is kept would be found dead.
        _ = try await get(first.baseURL, headers: ["Connection": "close"])
        await first.stop()
        let second = try await LoopbackServer.start(port: first.port) { _ in .json("2") }
        #expect(try await get(second.baseURL).text == "2")
        await second.stop()
        await #expect(throws: POSIXError(.ECONNREFUSED)) { try await RawClient.send("", port: second.port) }
    }

    /// On a port that the system gives to nobody by itself, so that no other test can take it meanwhile.
    private func startOnQuietPort() async throws -> LoopbackServer {
        for _ in 0..<100 {
            if let server = try? await LoopbackServer.start(
                port: Int.random(in: 15_000...30_000), handler: { _ in .json("1") })
            {
                return server
            }
        }
        throw POSIXError(.EADDRINUSE)
    }

    @Test func survivesBadHTTP() async throws {
        let handler: LoopbackServer.Handler = { _ in .json("fine") }
        try await withServer(handler) { server async throws in
            let exchange = try await RawClient.send("nonsense\r\n\r\n", port: server.port)
            #expect(exchange.end != .enough)
            #expect(try await get(server.baseURL).text == "fine")
        }
    }

    /// A connection that is accepted in the moment of the stop must be closed, too.
    @Test func stopsWhileClientsConnect() async throws {
        for _ in 0..<20 {
            let server = try await LoopbackServer.start { _ in .hang }
            try await withThrowingTaskGroup(of: Void.self) { clients in
                for _ in 0..<8 {
                    clients.addTask {
                        let exchange = try? await RawClient.send("GET / HTTP/1.1\r\n\r\n", port: server.port)
                        #expect(exchange == nil || exchange?.text == "")
                    }
                }
                await server.stop()
                try await clients.waitForAll()
            }
        }
    }
}
