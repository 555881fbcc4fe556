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
    private let acceptor: Task<Void, Never>

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    public var baseURL: String { "http://127.0.0.1:\(port)" }

    private init(port: Int, acceptor: Task<Void, Never>) {
        self.port = port
        self.acceptor = acceptor
    }

    deinit { acceptor.cancel() }

    /// Listens on `port` (0: the system chooses a free one) and answers until `stop`.
    public static func start(port: Int = 0, handler: @escaping Handler) async throws(StartError) -> LoopbackServer {
        guard (0...65_535).contains(port) else { throw .noSuchPort(port) }
        let listener: NIOAsyncChannel<Connection.Channel, Never>
        do {
            listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .bind(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                        return try Connection.Channel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw StartError(error, port: port)
        }
        let counter = RequestCounter()
        let acceptor = Task<Void, Never> {
            // An error here is the listener's own end; each connection keeps its errors to itself.
            try? await listener.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await channel in connections {
                        group.addTask {
                            await Connection(channel: channel, counter: counter, handler: handler).serve()
                        }
                    }
                }
            }
        }
        return LoopbackServer(port: listener.channel.localAddress?.port ?? port, acceptor: acceptor)
    }

    /// Closes the listener and every connection, hanging ones at once, and returns when all are closed.
    public func stop() async {
        acceptor.cancel()
        await acceptor.value
    }
}
