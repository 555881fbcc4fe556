internal import NIOCore
internal import NIOHTTP1

/// Writes one answer as bytes of our own, so that a head may promise what its body does not keep.
struct AnswerWriter {
    enum After { case keepAlive, close }

    let answer: LoopbackServer.Answer
    let to: HTTPRequestHead
    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    private static let chunk = 64 << 10

    func write() async throws -> After {
        let hasBody = to.method != .HEAD && answer.status != 204 && answer.status != 304
        guard hasBody else {
            try await outbound.write(ByteBuffer(string: head(length: nil, chunked: false)))
            return after
        }
        switch answer.body {
        case .bytes(let bytes):
            var buffer = ByteBuffer(string: head(length: bytes.count, chunked: false))
            buffer.writeBytes(bytes)
            try await outbound.write(buffer)
        case .drip(let bytes, let interval):
            try await outbound.write(ByteBuffer(string: head(length: bytes.count, chunked: false)))
            for byte in bytes {
                try await Task.sleep(for: interval)
                try await outbound.write(ByteBuffer(bytes: [byte]))
            }
        case .truncated(let bytes, let sent):
            var buffer = ByteBuffer(string: head(length: bytes.count, chunked: false))
            buffer.writeBytes(bytes.prefix(sent))
            try await outbound.write(buffer)
            return .close
        case .huge(let count, let declaresLength):
            try await writeBlanks(count, declaresLength: declaresLength)
        }
        return after
    }

    private var after: After { to.isKeepAlive ? .keepAlive : .close }

    private func head(length: Int?, chunked: Bool) -> String {
        let reason = HTTPResponseStatus(statusCode: answer.status).reasonPhrase
        var text = "HTTP/1.1 \(answer.status) \(reason)\r\n"
        for (name, value) in answer.headers.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
        if let length { text += "Content-Length: \(length)\r\n" }
        if chunked { text += "Transfer-Encoding: chunked\r\n" }
        if after == .close { text += "Connection: close\r\n" }
        return text + "\r\n"
    }

    /// The outbound writer suspends while the client does not read, so one chunk at a time is in memory.
    private func writeBlanks(_ count: Int, declaresLength: Bool) async throws {
        let head = head(length: declaresLength ? count : nil, chunked: !declaresLength)
        try await outbound.write(ByteBuffer(string: head))
        let blanks = ByteBuffer(repeating: UInt8(ascii: " "), count: Self.chunk)
        var left = count
        while left > 0 {
            let size = min(left, Self.chunk)
            left -= size
            guard let part = blanks.getSlice(at: 0, length: size) else { return }
            guard !declaresLength else {
                try await outbound.write(part)
                continue
            }
            try await outbound.write(ByteBuffer(string: String(size, radix: 16) + "\r\n"))
            try await outbound.write(part)
            try await outbound.write(ByteBuffer(string: "\r\n"))
        }
        if !declaresLength { try await outbound.write(ByteBuffer(string: "0\r\n\r\n")) }
    }
}
