import Foundation
import NIOCore
import NIOHTTP1

/// One client's connection: reads a request, replies, and repeats until one side ends it.
struct Connection: Sendable {
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
