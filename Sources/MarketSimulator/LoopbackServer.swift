import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1. Its replies come from a closure and may fail as sockets do.
package final class LoopbackServer: Sendable {
    package typealias Handler = @Sendable (Request) -> Reply

    /// The port it listens on: the requested one, or the one the system chose.
    package let port: Int
    private let listener: any Channel
    private let connections: OpenConnections

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    package var baseURL: String { "http://127.0.0.1:\(port)" }

    private init(port: Int, listener: any Channel, connections: OpenConnections) {
        self.port = port
        self.listener = listener
        self.connections = connections
    }

    deinit {
        listener.close(promise: nil)
        connections.cancel()
    }

    /// Listens on `port` (0: the system chooses a free one) and replies until `stop`.
    package static func start(port: Int = 0, handler: @escaping Handler) async throws(StartError) -> LoopbackServer {
        guard (0...65_535).contains(port) else {
            throw StartError(port: port, cause: "no such port (choose one up to 65535, or 0 for a free one)")
        }
        let connections = OpenConnections()
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.serve(try Connection(channel), handler)
                }
            }
        do {
            let listener = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
            let port = listener.localAddress?.port ?? port
            return LoopbackServer(port: port, listener: listener, connections: connections)
        } catch {
            let cause =
                switch (error as? IOError)?.errnoCode {
                case EADDRINUSE: "the port is taken (choose another, or 0 for a free one)"
                case EACCES, EPERM: "permission denied (choose a port above 1023, or 0 for a free one)"
                default: "\(error)"
                }
            throw StartError(port: port, cause: cause)
        }
    }

    /// Closes the listener and every connection, hanging ones at once, and returns when all are closed.
    package func stop() async {
        // Throws if it is already closed.
        try? await listener.close()
        connections.cancel()
        await connections.wait()
    }

    /// Why the server cannot listen.
    package struct StartError: Error, Hashable, CustomStringConvertible {
        package let port: Int
        let cause: String

        package var description: String { "listen on 127.0.0.1:\(port): \(cause)" }
    }
}

/// The connections being served, so that a stop can end them all.
///
/// Each has its own task instead of coming from a sequence of accepted channels: a channel that such a sequence still
/// holds when it is cancelled is never closed, and NIO stops the process for it.
private final class OpenConnections: Sendable {
    private struct State {
        var isStopped = false
        var accepted = 0
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Serves the connection until it ends; after a stop it is closed at once.
    func serve(_ connection: Connection, _ handler: @escaping LoopbackServer.Handler) {
        state.withLock { state in
            state.accepted += 1
            let id = state.accepted
            state.tasks[id] = Task {
                await connection.serve(handler)
                self.state.withLock { $0.tasks[id] = nil }
            }
            if state.isStopped { state.tasks[id]?.cancel() }
        }
    }

    func cancel() {
        state.withLock { state in
            state.isStopped = true
            for task in state.tasks.values { task.cancel() }
        }
    }

    func wait() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }
}

/// One client's connection: reads a request, replies, and repeats until one side ends it.
private struct Connection: Sendable {
    private let channel: NIOAsyncChannel<NIOHTTPServerRequestFull, HTTPServerResponsePart>

    /// On the channel's event loop.
    init(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        // Pipelining assistance stops reading during a reply, which would hide that the client of a hanging reply has
        // left.
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
        try pipeline.addHandler(NIOHTTPServerRequestAggregator(maxContentLength: 16 << 20))
        self.channel = try NIOAsyncChannel(wrappingChannelSynchronously: channel)
    }

    /// Returns when the connection is closed. An error means that the client left or sent bad HTTP; it is ignored.
    func serve(_ handler: LoopbackServer.Handler) async {
        try? await channel.executeThenClose { inbound, outbound in
            var requests = inbound.makeAsyncIterator()
            while let request = try await requests.next() {
                let reply = handler(LoopbackServer.Request(request))
                switch reply.transfer {
                case .reset:
                    return try await reset()
                case .hang:
                    while try await requests.next() != nil {}
                    return
                default:
                    try await write(reply, keepAlive: request.head.isKeepAlive, outbound)
                    guard request.head.isKeepAlive, reply.transfer != .half else { return }
                }
            }
        }
    }

    /// The writer suspends while the client does not read, so one chunk of blanks at a time is in memory.
    private func write(
        _ reply: LoopbackServer.Reply, keepAlive: Bool,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws {
        func write(_ bytes: ByteBuffer) async throws { try await outbound.write(.body(.byteBuffer(bytes))) }
        let status = HTTPResponseStatus(statusCode: reply.status)
        var head = HTTPResponseHead(version: .http1_1, status: status)
        for (name, value) in reply.headers.sorted(by: { $0.key < $1.key }) {
            head.headers.add(name: name, value: value)
        }
        switch reply.transfer {
        case .blanks(_, declaresLength: false): break  // NIO sends it chunked.
        case .blanks(let count, _): head.headers.add(name: "Content-Length", value: "\(count)")
        default: head.headers.add(name: "Content-Length", value: "\(reply.body.count)")
        }
        if !keepAlive { head.headers.add(name: "Connection", value: "close") }
        try await outbound.write(.head(head))
        if status.mayHaveResponseBody {
            switch reply.transfer {
            case .drip(let interval):
                for byte in reply.body {
                    try await Task.sleep(for: interval)
                    try await write(ByteBuffer(bytes: [byte]))
                }
            case .half:
                return try await write(ByteBuffer(bytes: reply.body.prefix(reply.body.count / 2)))
            case .blanks(var left, _):
                while left > 0 {
                    let size = min(left, 64 << 10)
                    try await write(ByteBuffer(repeating: UInt8(ascii: " "), count: size))
                    left -= size
                }
            default: try await write(ByteBuffer(bytes: reply.body))
            }
        }
        try await outbound.write(.end(nil))
    }

    /// With a linger time of zero, closing sends RST instead of FIN.
    private func reset() async throws {
        if let options = channel.channel as? any SocketOptionProvider {
            try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await channel.channel.close()
    }
}

extension LoopbackServer {
    /// One request as it came in.
    package struct Request: Sendable, Hashable {
        package let method: String
        /// Path and query as sent: `/api/v3/coins/a%5Bb%5D?days=1`.
        package let target: String
        /// The parts of the path between slashes, percent-decoded.
        package let segments: [String]
        /// Decoded query items; of a repeated name the last counts.
        package let query: [String: String]
        /// By lower-case name; repeated headers are joined with `, `.
        package let headers: [String: String]
        package let body: [UInt8]

        /// The path, percent-decoded, without the query.
        package var path: String { "/" + segments.joined(separator: "/") }

        init(_ request: NIOHTTPServerRequestFull) {
            self.init(
                method: request.head.method.rawValue, target: request.head.uri,
                headers: request.head.headers.map { ($0.name, $0.value) },
                body: request.body.map { Array($0.readableBytesView) } ?? [])
        }

        package init(method: String, target: String, headers: [(String, String)], body: [UInt8] = []) {
            self.method = method
            self.target = target
            self.body = body
            var components = URLComponents(string: target) ?? URLComponents()
            segments = components.percentEncodedPath.split(separator: "/").map {
                String($0).removingPercentEncoding ?? String($0)
            }
            // A plus is a blank, as in forms.
            components.percentEncodedQuery = components.percentEncodedQuery?.replacing("+", with: "%20")
            query = Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
            self.headers = Dictionary(headers.map { ($0.0.lowercased(), $0.1) }) { "\($0), \($1)" }
        }
    }

    /// The reply to a request.
    package struct Reply: Sendable, Hashable {
        /// 200 to 599. 204 and 304 are sent without their body.
        package var status: Int
        package var headers: [String: String]
        package var body: [UInt8]
        package var transfer: Transfer

        /// How a reply goes over the wire.
        package enum Transfer: Sendable, Hashable {
            case whole
            /// The head at once, then one byte after each interval.
            case drip(every: Duration)
            /// `Content-Length` promises the whole body, half of it comes, then the connection closes.
            case half
            /// This many blanks in place of the body, as fast as the client reads them; chunked unless declared.
            case blanks(Int, declaresLength: Bool)
            /// The connection ends with a TCP reset.
            case reset
            /// No reply comes until the client leaves or the server stops.
            case hang
        }

        package init(
            status: Int = 200, headers: [String: String] = [:], text: String = "", transfer: Transfer = .whole
        ) {
            self.status = status
            self.headers = headers
            body = Array(text.utf8)
            self.transfer = transfer
        }

        package static let reset = Reply(transfer: .reset)
        package static let hang = Reply(transfer: .hang)

        /// A reply of `application/json; charset=utf-8`; `headers` take precedence.
        package static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> Reply {
            let type = ["Content-Type": "application/json; charset=utf-8"]
            return Reply(status: status, headers: headers.merging(type) { given, _ in given }, text: text)
        }
    }
}
