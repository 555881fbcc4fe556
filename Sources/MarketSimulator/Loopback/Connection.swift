internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// One client's connection: reads a request, answers it, and so on until one side ends it.
struct Connection: Sendable {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, ByteBuffer>
    typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

    let channel: Channel
    let counter: RequestCounter
    let handler: LoopbackServer.Handler

    /// A longer request body ends the connection.
    private static let longestBody = 16 << 20

    /// Returns when the connection is closed. Errors are the client's leaving or its bad HTTP: nobody to tell.
    func serve() async {
        try? await channel.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            while let (head, body) = try await readRequest(&parts) {
                let request = LoopbackServer.Request(number: counter.next(), head: head, body: body)
                switch await handler(request) {
                case .answer(let answer):
                    let writer = AnswerWriter(answer: answer, to: head, outbound: outbound)
                    guard try await writer.write() == .keepAlive else { return }
                case .reset:
                    return try await reset()
                case .hang:
                    while try await parts.next() != nil {}
                    return
                }
            }
        }
    }

    private func readRequest(_ parts: inout Parts) async throws -> (HTTPRequestHead, [UInt8])? {
        var head: HTTPRequestHead?
        var body: [UInt8] = []
        while let part = try await parts.next() {
            switch part {
            case .head(let read): head = read
            case .body(let bytes):
                body += bytes.readableBytesView
                guard body.count <= Self.longestBody else { return nil }
            case .end:
                if let head { return (head, body) }
            }
        }
        return nil
    }

    /// With a linger time of zero, closing sends RST instead of FIN.
    private func reset() async throws {
        let socket = channel.channel
        if let options = socket as? any SocketOptionProvider {
            try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await socket.close()
    }
}
