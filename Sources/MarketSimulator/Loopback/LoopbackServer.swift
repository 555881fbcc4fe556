internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A small HTTP/1.1 server on 127.0.0.1 whose answers are a closure's, faults of the socket included.
///
/// Connections are kept alive after ordinary answers; the requests of one connection are answered in turn.
public final class LoopbackServer: Sendable {
    /// Answers one request. It runs on the connection's task, which `stop` cancels and waits for.
    public typealias Handler = @Sendable (Request) async -> Reply

    /// The port it listens on: the one asked for, or the one the system chose.
    public let port: Int
    private let listener: any Channel
    private let connections: OpenConnections

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    public var baseURL: String { "http://127.0.0.1:\(port)" }

    private init(port: Int, listener: any Channel, connections: OpenConnections) {
        self.port = port
        self.listener = listener
        self.connections = connections
    }

    deinit {
        listener.close(promise: nil)
        connections.cancel()
    }

    /// Listens on `port` (0: the system chooses a free one) and answers until `stop`.
    public static func start(port: Int = 0, handler: @escaping Handler) async throws(StartError) -> LoopbackServer {
        guard (0...65_535).contains(port) else { throw .noSuchPort(port) }
        let counter = RequestCounter()
        let connections = OpenConnections()
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    let channel = try Connection.Channel(wrappingChannelSynchronously: channel)
                    connections.serve(Connection(channel: channel, counter: counter, handler: handler))
                }
            }
        do {
            let listener = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
            let port = listener.localAddress?.port ?? port
            return LoopbackServer(port: port, listener: listener, connections: connections)
        } catch {
            throw StartError(error, port: port)
        }
    }

    /// Closes the listener and every connection, hanging ones at once, and returns when all are closed.
    public func stop() async {
        // It fails where it is closed already.
        try? await listener.close()
        connections.cancel()
        await connections.wait()
    }
}
