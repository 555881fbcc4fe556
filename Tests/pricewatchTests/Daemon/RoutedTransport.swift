import HTTP
import Synchronization

@testable import pricewatch

/// Several servers behind one transport: a request goes to the one whose address its URL begins with.
struct RoutedTransport: HTTPTransport {
    /// By the beginning of the URL.
    let servers: [String: any HTTPTransport]

    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        guard let server = servers.first(where: { request.url.hasPrefix($0.key) })?.value else {
            throw .connect("nobody listens there")
        }
        return try await server.exchange(request, within: timeout)
    }
}

/// A server that takes requests and answers none of them until it breaks all connections. For one request at a time.
final class HangingTransport: HTTPTransport {
    private let asked = AsyncStream.makeStream(of: Void.self)
    private let broken = AsyncStream.makeStream(of: Void.self)
    private let count = Mutex(0)

    /// How many have come in.
    var requests: Int { count.withLock(\.self) }

    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        count.withLock { $0 += 1 }
        asked.continuation.yield()
        for await _ in broken.stream {}
        if Task.isCancelled { throw .cancelled }
        throw .transport("the connection was closed")
    }

    /// Returns once a request has come in.
    func waitUntilAsked() async {
        for await _ in asked.stream { return }
    }

    func breakConnections() { broken.continuation.finish() }
}
