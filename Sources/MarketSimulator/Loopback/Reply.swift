extension LoopbackServer {
    /// What a request gets: an HTTP answer, or a fault of the socket.
    public enum Reply: Sendable, Hashable {
        case answer(Answer)
        /// The connection ends with a TCP reset.
        case reset
        /// Nothing is ever answered; it lasts until the client goes or the server stops.
        case hang
    }

    /// An HTTP answer. `Content-Length` (or chunked coding) and `Connection` follow from the body.
    public struct Answer: Sendable, Hashable {
        /// 200 to 599. 204 and 304 are sent without their body.
        public var status: Int
        public var headers: [String: String]
        public var body: Body

        public init(status: Int = 200, headers: [String: String] = [:], body: Body = .bytes([])) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// How an answer's body goes over the wire.
    public enum Body: Sendable, Hashable {
        /// Whole. Compressed bytes come with their own `Content-Encoding` header.
        case bytes([UInt8])
        /// Head at once, then one byte after each `interval`.
        case drip([UInt8], every: Duration)
        /// `Content-Length` promises all, `sent` bytes come, then the connection closes.
        case truncated([UInt8], sent: Int)
        /// So many bytes of blanks, no faster than the client reads; chunked unless the length is declared.
        case huge(count: Int, declaresLength: Bool)

        public static func text(_ text: String) -> Body { .bytes(Array(text.utf8)) }
    }
}

extension LoopbackServer.Reply {
    /// An answer of `application/json; charset=utf-8`; `headers` go first.
    public static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> Self {
        let type = ["Content-Type": "application/json; charset=utf-8"]
        return .answer(.init(status: status, headers: headers.merging(type) { given, _ in given }, body: .text(text)))
    }
}
