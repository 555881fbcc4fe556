import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import Synchronization

/// A small HTTP/1.1 server for GET and HEAD: one request a connection, with limits on bytes, time and connections.
package final class HTTPServer: Sendable {
    package typealias Handler = @Sendable (ServedRequest) async -> ServedReply

    /// Where it listens.
    package enum Address: Sendable, Hashable {
        /// A numeric address; port 0: the system chooses a free one.
        case tcp(String, port: Int)
        case unix(path: String)
        /// A listening socket that the caller was started with.
        case inherited(descriptor: Int32)
    }

    package struct Limits: Sendable {
        /// Of a request, until its head is complete.
        package var bytes = 8 << 10
        package var headTime = Duration.seconds(5)
        /// From the complete head until the client has taken the reply.
        package var replyTime = Duration.seconds(30)
        package var connections = 64

        package init() {}
    }

    /// The port it listens on; nil for a Unix socket.
    package let port: Int?
    private let listener: any Channel
    /// One thread: requests are answered one after the other.
    private let thread: MultiThreadedEventLoopGroup
    private let connections: AdmittedConnections

    private init(listener: any Channel, on thread: MultiThreadedEventLoopGroup, connections: AdmittedConnections) {
        port = listener.localAddress?.port
        self.listener = listener
        self.thread = thread
        self.connections = connections
    }

    /// Listens and replies until `stop`.
    package static func start(
        on address: Address, _ limits: Limits = Limits(), handler: @escaping Handler
    ) async throws(StartError) -> HTTPServer {
        let connections = AdmittedConnections(limit: limits.connections)
        let thread = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let bootstrap = ServerBootstrap(group: thread)
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                guard connections.admit(channel) else { return channel.close() }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(RequestBound(bytes: limits.bytes))
                    try pipeline.configureHTTPServerPipeline(
                        withPipeliningAssistance: false, withErrorHandling: false)
                    try pipeline.addHandler(BodyOfHead())
                    try pipeline.addHandler(HTTPResponseCompressor())
                    try pipeline.addHandler(ServedConnection(limits, connections, handler))
                }
            }
        do {
            let listener = try await bootstrap.listen(on: address)
            return HTTPServer(listener: listener, on: thread, connections: connections)
        } catch {
            try? await thread.shutdownGracefully()
            let cause =
                switch (error as? IOError)?.errnoCode {
                case EADDRINUSE: "it is in use (choose another, or port 0 for a free one)"
                case EADDRNOTAVAIL: "this machine has no such address"
                case EACCES, EPERM: "permission denied"
                case ENOENT: "no such folder"
                default: "\(error)"
                }
            throw StartError(cause: cause)
        }
    }

    /// Closes the listener and every connection.
    package func stop() async {
        // Throws if it is already closed.
        try? await listener.close()
        connections.closeAll()
        // Throws if it is already stopped.
        try? await thread.shutdownGracefully()
    }

    /// Returns once no connection was open for this long.
    package func waitUntilIdle(for length: Duration) async throws {
        while case let rest = length - connections.idleTime, rest > .zero { try await Task.sleep(for: rest) }
    }

    /// Why the server cannot listen.
    package struct StartError: Error, Hashable, CustomStringConvertible {
        let cause: String

        package var description: String { cause }
    }
}

extension ServerBootstrap {
    fileprivate func listen(on address: HTTPServer.Address) async throws -> any Channel {
        switch address {
        case .tcp(let host, let port):
            // For a Unix socket this would be no option.
            let bootstrap = serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            return try await bootstrap.bind(to: try SocketAddress(ipAddress: host, port: port)).get()
        case .unix(let path): return try await bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
        case .inherited(let descriptor): return try await withBoundSocket(descriptor).get()
        }
    }
}

/// The connections, so that there are never too many, and a stop can end them all.
final class AdmittedConnections: Sendable {
    private struct State {
        /// In the order in which they were accepted.
        var open: [(channel: any Channel, isWaiting: Bool)] = []
        var isStopped = false
        var lastClosed = ContinuousClock.now
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Where there is no room, the connection that has waited longest for a request is closed; a client that has sent
    /// its request is never closed for a new one.
    ///
    /// - Returns: False if there is no room.
    func admit(_ channel: any Channel) -> Bool {
        let (isAdmitted, evicted) = state.withLock { state -> (Bool, (any Channel)?) in
            if state.isStopped { return (false, nil) }
            var evicted: (any Channel)?
            if state.open.count >= limit {
                guard let place = state.open.firstIndex(where: \.isWaiting) else { return (false, nil) }
                evicted = state.open.remove(at: place).channel
            }
            state.open.append((channel, true))
            return (true, evicted)
        }
        evicted?.close(promise: nil)
        if isAdmitted { channel.closeFuture.whenComplete { _ in self.remove(channel) } }
        return isAdmitted
    }

    /// The head of its request is complete.
    func isAnswering(_ channel: any Channel) {
        state.withLock { state in
            guard let place = state.open.firstIndex(where: { $0.channel === channel }) else { return }
            state.open[place].isWaiting = false
        }
    }

    private func remove(_ channel: any Channel) {
        state.withLock { state in
            state.open.removeAll { $0.channel === channel }
            state.lastClosed = .now
        }
    }

    func closeAll() {
        let open = state.withLock { state in
            state.isStopped = true
            return state.open
        }
        for (channel, _) in open { channel.close(promise: nil) }
    }

    /// How long no connection has been open.
    var idleTime: Duration {
        state.withLock { $0.open.isEmpty ? ContinuousClock.now - $0.lastClosed : .zero }
    }
}
