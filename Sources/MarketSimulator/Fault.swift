import Foundation
import Markets

/// The fault in the reply to one request.
package enum Fault: Sendable, Hashable {
    case ok
    /// This HTTP status with CoinGecko's error body for it; `retryAfter` in seconds.
    case status(Int, retryAfter: Int? = nil)
    /// The connection ends with a TCP reset.
    case reset
    /// No reply comes until the client leaves or the simulator stops.
    case hang
    /// The proper reply's head, then its body byte by byte.
    case drip(every: Duration = .milliseconds(500))
    /// `Content-Length` of the whole body, half of it, end of connection.
    case truncate
    /// Half of the JSON with the right `Content-Length`.
    case badJSON
    /// 200 with a web page, as a CDN sends when it blocks.
    case html
    /// 200 with the error body of status 429.
    case error200
    /// Markets without price and without the figures of 24 h; nil: all of them.
    case nullPrices(Set<MarketID>? = nil)
    /// 200 and this many bytes, sent as fast as the client reads them; chunked unless the length is declared.
    case huge(bytes: Int = 1 << 30, declaresLength: Bool = true)
    /// The proper reply without these markets.
    case missing(Set<MarketID>)
    /// The proper reply with these JSON texts in place of prices: `0`, `-1`, `"n/a"`, `1e400`.
    case prices([MarketID: String])
    /// The proper reply with every `last_updated` this much older.
    case aged(Duration)
    /// Any other reply.
    case reply(LoopbackServer.Reply)
}

// MARK: What a fault makes of a reply

extension Fault {
    private static let blockedPage = """
        <!DOCTYPE html>
        <html lang="en"><head><title>Just a moment...</title></head>
        <body><h1>Checking your browser</h1><p>Enable JavaScript and cookies to continue.</p></body></html>

        """

    /// The reply with this fault. If no prices are needed, `proper` is not called and the walk does not advance.
    func reply(_ proper: () -> LoopbackServer.Reply) -> LoopbackServer.Reply {
        switch self {
        case .ok, .nullPrices, .missing, .prices, .aged: return proper()
        case .drip(let interval): return damaged(proper()) { $0.transfer = .drip(every: interval) }
        case .truncate: return damaged(proper()) { $0.transfer = .half }
        case .badJSON: return damaged(proper()) { $0.body.removeLast(($0.body.count + 1) / 2) }
        case .status(let code, let retryAfter):
            let headers = retryAfter.map { ["Retry-After": "\($0)"] } ?? [:]
            return .json(CoinGeckoError.of(status: code).body, status: code, headers: headers)
        case .error200: return .json(CoinGeckoError.of(status: 429).body)
        case .html:
            return LoopbackServer.Reply(headers: ["Content-Type": "text/html; charset=UTF-8"], text: Self.blockedPage)
        case .huge(let count, let declaresLength):
            return damaged(.json("")) { $0.transfer = .blanks(count, declaresLength: declaresLength) }
        case .reset: return .reset
        case .hang: return .hang
        case .reply(let reply): return reply
        }
    }

    /// Without the ETag: a damaged reply is sent even to a client that has the proper one.
    private func damaged(
        _ reply: LoopbackServer.Reply, _ change: (inout LoopbackServer.Reply) -> Void
    ) -> LoopbackServer.Reply {
        var reply = reply
        reply.headers["ETag"] = nil
        change(&reply)
        return reply
    }

    /// A row of `coins/markets` with this fault; nil: it is left out.
    func row(_ proper: MarketRow) -> MarketRow? {
        var row = proper
        switch self {
        case .nullPrices(let markets) where markets?.contains(row.market.id) ?? true: row.price = "null"
        case .missing(let markets) where markets.contains(row.market.id): return nil
        case .prices(let texts): row.price = texts[row.market.id] ?? row.price
        case .aged(let age): row.updated = row.updated - age
        default: break
        }
        return row
    }
}

// MARK: The words of a fault list

extension Fault {
    /// As shown in a usage text.
    package static let words = ["ok", "status:CODE[:RETRY_AFTER]"] + plain.dropFirst().map(\.key)

    private static let plain: KeyValuePairs<String, Fault> = [
        "ok": .ok, "reset": .reset, "hang": .hang, "drip": .drip(), "truncate": .truncate, "badjson": .badJSON,
        "html": .html, "error200": .error200, "nullprices": .nullPrices(), "huge": .huge(),
    ]

    /// Reads words separated by commas, blanks or both, such as `ok status:429:120, reset`.
    package static func list(parsing text: String) throws(FaultListError) -> [Fault] {
        var faults: [Fault] = []
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            faults.append(try Fault(parsing: String(word)))
        }
        return faults
    }

    private init(parsing word: String) throws(FaultListError) {
        if let fault = Self.plain.first(where: { $0.key == word })?.value {
            self = fault
        } else if let match = word.wholeMatch(of: /status:([2-5][0-9]{2})(?::([0-9]+))?/), let code = Int(match.1) {
            self = .status(code, retryAfter: match.2.flatMap { Int($0) })
        } else {
            throw FaultListError(word: word)
        }
    }
}

/// Why a text is not a list of faults.
package struct FaultListError: Error, Hashable, CustomStringConvertible {
    let word: String

    package var description: String {
        "read the fault list: no fault is called `\(word)` (there are \(Fault.words.joined(separator: " ")))"
    }
}
