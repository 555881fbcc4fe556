import MarketSimulator

extension Fault {
    /// 200 and a few MiB of gzip that unpack to about this many bytes.
    ///
    /// A gzip stream that has no end: a literal zero, then copies of it in pieces of 258 bytes, eight of which take
    /// thirteen whole bytes (RFC 1951, fixed Huffman codes). A client with a limit never gets to the missing end.
    package static func gzipBomb(unpacked: Int = 1 << 30) -> Fault {
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 0x63, 0x18]
        let pieces: [UInt8] = [0x05, 0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18]
        var reply = LoopbackServer.Reply.json("", headers: ["Content-Encoding": "gzip"])
        reply.body = head + Array(repeating: pieces, count: unpacked / (8 * 258)).joined()
        return .reply(reply)
    }
}
