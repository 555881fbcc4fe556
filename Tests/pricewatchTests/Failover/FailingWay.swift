import Engine
import Foundation
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import Feeds

/// One way in which a feed fails, and what it is called.
struct FailingWay: Sendable, CustomTestStringConvertible {
    var name: String
    var illness: Illness
    var kind: FeedError.Kind
    /// From the first poll on: what would be fine once an answer is known.
    var fromTheStart = false

    var testDescription: String { name }

    enum Illness: Sendable, Hashable {
        /// Request by request, and then again.
        case faults([Fault])
        /// In place of the server this is asked; PORT is the server's.
        case unreachable(String)
    }

    /// What can go wrong before there is a whole answer.
    static let transport: [FailingWay] = [
        FailingWay(name: "a closed port", illness: .unreachable("http://127.0.0.1:1/api/v3"), kind: .connect),
        FailingWay(name: "no such host", illness: .unreachable("http://no-such-host.invalid/api/v3"), kind: .dns),
        FailingWay(name: "no TLS there", illness: .unreachable("https://127.0.0.1:PORT/api/v3"), kind: .tls),
        FailingWay("reset", .reset, .transport), FailingWay("hang", .hang, .timeout),
        FailingWay("a byte now and then", .drip(), .timeout), FailingWay("truncated", .truncate, .transport),
        FailingWay("damaged gzip", .answer(["Content-Encoding": "gzip"], "this is no gzip at all"), .transport),
        FailingWay("1 GiB, announced", .huge(declaresLength: true), .tooLarge),
        FailingWay("1 GiB, unannounced", .huge(declaresLength: false), .tooLarge),
        FailingWay("gzip bomb", .gzipBomb(unpacked: 16 << 20), .tooLarge),
    ]

    /// Answers with a good status that are none.
    static let bodies: [FailingWay] = [
        FailingWay("half a document", .badJSON, .decode), FailingWay("nothing at all", .answer([:], ""), .decode),
        FailingWay("another document", .answer([:], #"{"gecko_says":"hello"}"#), .decode),
        FailingWay("no rows", .answer([:], "[]"), .empty), FailingWay("null prices", .nullPrices(), .empty),
        FailingWay("a price that is none", .answer([:], #"[{"id":"bitcoin","current_price":"n/a"}]"#), .empty),
        FailingWay("a price of nothing", .answer([:], #"[{"id":"bitcoin","current_price":0}]"#), .empty),
        FailingWay("web page", .html, .blocked), FailingWay("web page, 403", .page(403), .blocked),
        FailingWay("web page, 404", .page(404), .notFound), FailingWay("web page, 429", .page(429), .rateLimited),
        FailingWay("web page, 502", .page(502), .server),
        FailingWay("plain text", .answer(["Content-Type": "text/plain"], "[]"), .contentType),
        FailingWay("a picture", .answer(["Content-Type": "image/png"], "PNG"), .contentType),
        FailingWay("an error inside 200", .error200, .rateLimited),
        FailingWay("an error without a number inside 200", .answer([:], #"{"error":"out of order"}"#), .server),
        FailingWay("a status inside 200", .answer([:], #"{"status":404,"error":"no such thing"}"#), .notFound),
        FailingWay(
            "a code in plain text", .answer(["Content-Type": "text/plain"], "error code: 1015", 429), .rateLimited),
    ]

    /// Each line of the table of statuses, by its first status, and what is in none.
    static let statuses: [FailingWay] =
        FeedError.byStatus.filter { !(200...299).contains($0.status.lowerBound) }.map { status, rule in
            let status = status.lowerBound
            return FailingWay(
                name: "\(status)", illness: .faults([status == 304 ? .answer([:], "", 304) : .status(status)]),
                kind: rule.kind, fromTheStart: status == 304)
        } + [
            FailingWay("418", .status(418), .badStatus), FailingWay("599", .status(599), .server),
            FailingWay("429 with a wait", .status(429, retryAfter: 120), .rateLimited),
            FailingWay(
                "a redirect to itself", .answer(["Location": "/api/v3/coins/markets"], "", 302), .badStatus),
        ]

    /// CoinGecko's own codes, with a status that says otherwise.
    static let codes: [FailingWay] = CoinGecko(plan: .public).errors.codes.sorted { $0.key < $1.key }.map {
        code, rule in
        FailingWay(
            "code \(code)", .answer([:], #"{"status":{"error_code":\#(code),"error_message":"no"}}"#), rule.kind)
    }

    static let all = transport + bodies + statuses + codes

    init(name: String, illness: Illness, kind: FeedError.Kind, fromTheStart: Bool = false) {
        self.name = name
        self.illness = illness
        self.kind = kind
        self.fromTheStart = fromTheStart
    }

    init(_ name: String, _ fault: Fault, _ kind: FeedError.Kind) {
        self.init(name: name, illness: .faults([fault]), kind: kind)
    }
}

extension Fault {
    static func answer(_ headers: [String: String], _ body: String, _ status: Int = 200) -> Fault {
        .reply(.json(body, status: status, headers: headers))
    }

    static func page(_ status: Int) -> Fault {
        .answer(["Content-Type": "text/html"], "<!DOCTYPE html><html><body>Just a moment...</body></html>", status)
    }
}
