import Channels
import Foundation
import HTTP
import Synchronization
import Testing

/// The GET itself; when one is sent and what is logged of it is decided by the engine.
@Suite struct HeartbeatTests {
    private static let secret = "3f1c-very-secret"
    private static let url = "https://monitor.example/ping/\(secret)"

    /// Always answers the same, and keeps what it was asked.
    private final class Monitor: HTTPTransport {
        private let reply: Result<Int, TransportFault>
        private let received = Mutex<[WireRequest]>([])

        init(_ reply: Result<Int, TransportFault>) { self.reply = reply }

        var requests: [WireRequest] { received.withLock(\.self) }

        func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
            received.withLock { $0.append(request) }
            return HTTPAnswer(status: try reply.get(), headers: [:], body: Data("{}".utf8))
        }
    }

    @Test("one GET of the URL; any 2xx is an answer", arguments: [200, 204, 299])
    func answered(status: Int) async {
        let monitor = Monitor(.success(status))
        #expect(await Heartbeat.send(to: Self.url, over: monitor) == nil)
        #expect(monitor.requests.count == 1)
        #expect(monitor.requests.allSatisfy { $0.method == "GET" && $0.url == Self.url && $0.body == nil })
    }

    @Test(
        "what fails says why, without the URL",
        arguments: [
            (.success(404), "404"), (.success(503), "503"), (.success(302), "302"),
            (.failure(.connect("connection refused")), "connection refused"),
            (.failure(.timeout(.seconds(20))), "20s"),
        ] as [(Result<Int, TransportFault>, String)])
    func failed(reply: Result<Int, TransportFault>, cause: String) async throws {
        let fault = try #require(await Heartbeat.send(to: Self.url, over: Monitor(reply)))
        #expect(fault.contains(cause), "\(fault)")
        #expect(!fault.contains(Self.secret))
    }
}
