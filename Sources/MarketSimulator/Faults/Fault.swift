public import Markets

/// What goes wrong with one request to the simulated market.
public enum Fault: Sendable, Hashable {
    /// Nothing: the proper answer.
    case ok
    /// This HTTP status with CoinGecko's error body for it; `retryAfter` in seconds.
    case status(Int, retryAfter: Int? = nil)
    /// The connection ends with a TCP reset.
    case reset
    /// No answer until the client goes or the simulator stops.
    case hang
    /// The proper answer's head, then its body byte by byte.
    case drip(every: Duration = .milliseconds(500))
    /// `Content-Length` of the whole body, half of it, end of connection.
    case truncate
    /// Half of the JSON with the right `Content-Length`.
    case badJSON
    /// 200 with a page for people, as a CDN sends when it blocks.
    case html
    /// 200 with the error body of status 429.
    case error200
    /// Markets without price and without the figures of 24 h; nil: all of them.
    case nullPrices(Set<MarketID>? = nil)
    /// 200 and so many bytes, sent as fast as the client reads them; chunked unless the length is declared.
    case huge(bytes: Int = 1 << 30, declaresLength: Bool = true)
    /// The proper answer without these markets.
    case missing(Set<MarketID>)
    /// The proper answer with these JSON texts in place of prices: `0`, `-1`, `"n/a"`, `1e400`.
    case prices([MarketID: String])
    /// The proper answer with every `last_updated` this much older.
    case aged(Duration)
    /// 200 and a few MiB that unpack to about so many bytes.
    case gzipBomb(unpacked: Int = 1 << 30)
    /// Any other answer.
    case reply(LoopbackServer.Reply)
}
