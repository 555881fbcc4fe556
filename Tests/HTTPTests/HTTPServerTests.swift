import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTPServerTests {
    private static func start(
        _ limits: HTTPServer.Limits = HTTPServer.Limits()
    ) async throws -> (server: HTTPServer, port: Int) {
        let server = try await HTTPServer.start(on: .tcp("127.0.0.1", port: 0), limits) { request in
            ServedReply(200, ["X-Target": request.target], body: Array(repeating: UInt8(ascii: "a"), count: 5000))
        }
        return (server, try #require(server.port))
    }

    private static func head(_ exchange: RawClient.Exchange) -> [String] {
        exchange.text.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
    }

    @Test("one reply with its length, and the connection is closed in order", arguments: ["HTTP/1.1", "HTTP/1.0"])
    func reply(version: String) async throws {
        let (server, port) = try await Self.start()
        let exchange = try await RawClient.send("GET /a?b=c \(version)\r\nHost: x\r\n\r\n", port: port)
        #expect(exchange.end == .closed)
        #expect(Self.head(exchange).first?.hasSuffix("200 OK") == true)
        #expect(
            Set(Self.head(exchange)).isSuperset(of: ["X-Target: /a?b=c", "Content-Length: 5000", "Connection: close"]))
        #expect(exchange.text.hasSuffix("\r\n\r\n" + String(repeating: "a", count: 5000)))
        await server.stop()
    }

    @Test("HEAD has the head of GET, and no body", arguments: ["", "Accept-Encoding: gzip\r\n"])
    func head(encoding: String) async throws {
        let (server, port) = try await Self.start()
        let get = try await RawClient.send("GET / HTTP/1.1\r\nHost: x\r\n\(encoding)\r\n", port: port)
        let head = try await RawClient.send("HEAD / HTTP/1.1\r\nHost: x\r\n\(encoding)\r\n", port: port)
        #expect(Self.head(head) == Self.head(get))
        #expect(head.text.hasSuffix("\r\n\r\n"))
        #expect(Self.head(get).contains("Content-Encoding: gzip") == !encoding.isEmpty)
        #expect((get.text.utf8.count < 1000) == !encoding.isEmpty)
        await server.stop()
    }

    @Test(
        "what is no request, or too large for one, is refused, and the connection is closed in order",
        arguments: [
            ("nonsense\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nHost x\r\n\r\n", "400"),
            ("GET /\u{1} HTTP/1.1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 9000))\r\n\r\n", "431"),
            ("GET /\(String(repeating: "a", count: 60_000)) HTTP/1.1\r\n\r\n", "431"),
        ])
    func refused(request: String, status: String) async throws {
        let (server, port) = try await Self.start()
        let exchange = try await RawClient.send(request, port: port)
        #expect(exchange.end == .closed)
        #expect(exchange.text.hasPrefix("HTTP/1.1 \(status) "), "\(exchange.text)")
        await server.stop()
    }

    @Test("a body is not read, and a second request on a connection is not answered")
    func more() async throws {
        let (server, port) = try await Self.start()
        let body = String(repeating: "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n", count: 2000)
        let exchange = try await RawClient.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n" + body, port: port)
        #expect(exchange.end == .closed)
        #expect(exchange.text.components(separatedBy: "HTTP/1.1 200").count == 2)
        await server.stop()
    }

    @Test("a client that sends no head in time is closed, also one that sends a byte now and then")
    func slow() async throws {
        var limits = HTTPServer.Limits()
        limits.headTime = .milliseconds(50)
        let (server, port) = try await Self.start(limits)
        for beginning in ["", "GET / HTT", "GET / HTTP/1.1\r\nHost: x\r\n"] {
            let exchange = try await RawClient.send(beginning, port: port)
            #expect(exchange.text.isEmpty && exchange.end == .closed)
        }
        await server.stop()
    }

    @Test("1,000 connections that never finish their request do not keep others out, and at most 64 stay open")
    func thousand() async throws {
        let (server, port) = try await Self.start()
        var slow: [Int32] = []
        defer { for descriptor in slow { close(descriptor) } }
        for round in 0..<10 {
            for _ in 0..<100 { slow.append(try RawClient.connection(to: port, sending: "GET / HTTP/1.1\r\n")) }
            let exchange = try await RawClient.send("GET /\(round) HTTP/1.1\r\nHost: x\r\n\r\n", port: port)
            #expect(Self.head(exchange).contains("X-Target: /\(round)"), "\(round): \(exchange.end)")
        }
        // An evicted connection is closed by its own thread.
        func open() -> Int {
            slow.count { descriptor in
                var byte: UInt8 = 0
                return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
            }
        }
        let end = ContinuousClock.now + .seconds(4)
        while open() > 64, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
        #expect(open() <= 64)
        await server.stop()
    }

    @Test("connections that are being answered keep their place; who comes then is turned away")
    func busy() async throws {
        var limits = HTTPServer.Limits()
        limits.connections = 2
        let (seen, count) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let server = try await HTTPServer.start(on: .tcp("127.0.0.1", port: 0), limits) { _ in
            count.yield()
            for await _ in gate { break }
            return ServedReply(204)
        }
        let port = try #require(server.port)
        let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<2 { group.addTask { try await RawClient.send(request, port: port).text } }
            var arrived = seen.makeAsyncIterator()
            for _ in 0..<2 { await arrived.next() }
            #expect(try await RawClient.send(request, port: port).text.isEmpty)
            opener.finish()
            for try await text in group { #expect(text.hasPrefix("HTTP/1.1 204 ")) }
        }
        await server.stop()
    }

    @Test("a Unix socket and one that is inherited; what cannot be listened on says why")
    func addresses() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        let server = try await HTTPServer.start(on: .unix(path: path)) { _ in ServedReply(204) }
        #expect(server.port == nil && FileManager.default.fileExists(atPath: path))
        await server.stop()
        let (first, port) = try await Self.start()
        do {
            _ = try await HTTPServer.start(on: .tcp("127.0.0.1", port: port)) { _ in ServedReply() }
            Issue.record("two servers on port \(port)")
        } catch { #expect("\(error)".contains("in use")) }
        await first.stop()
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let bound = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(bound == 0 && listen(descriptor, 8) == 0)
        let inherited = try await HTTPServer.start(on: .inherited(descriptor: descriptor)) { _ in ServedReply(204) }
        let answer = try await RawClient.send(
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n", port: try #require(inherited.port))
        #expect(answer.text.hasPrefix("HTTP/1.1 204 "))
        await inherited.stop()
    }

    @Test("it is idle only while no connection is open")
    func idle() async throws {
        let (server, port) = try await Self.start()
        let descriptor = try RawClient.connection(to: port, sending: "GET / ")
        let hasEnded = Mutex(false)
        let waiting = Task {
            try await server.waitUntilIdle(for: .milliseconds(20))
            hasEnded.withLock { $0 = true }
        }
        // A reply to another client, which comes after what was accepted before.
        for _ in 0..<30 { _ = try await RawClient.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n", port: port) }
        #expect(!hasEnded.withLock { $0 })
        close(descriptor)
        try await waiting.value
        await server.stop()
    }
}
