import Foundation
import HTTP
import Testing

@testable import Feeds

@Suite("What an answer means")
struct ClassificationTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var status: Int
        var body: String
        var type: String? = "application/json"
        /// Nil: an answer worth reading.
        var kind: FeedError.Kind?
        var retryable = false
        var says = ""

        var testDescription: String { "\(status) \(body.prefix(60)) is \(kind?.rawValue ?? "good")" }
    }

    static let html = "<!DOCTYPE html><html><body>Just a moment...</body></html>"
    static let limited = #"{"status":{"error_code":429,"error_message":"You've exceeded the Rate Limit."}}"#

    static let cases: [Case] = [
        // Good answers, also those that only look like errors.
        Case(status: 200, body: #"[{"id":"bitcoin"}]"#, kind: nil),
        Case(status: 200, body: "[]", type: "application/json; charset=utf-8", kind: nil),
        Case(status: 200, body: "[]", type: "Application/JSON;charset=UTF-8", kind: nil),
        Case(status: 200, body: "[]", type: nil, kind: nil),
        Case(status: 200, body: "[]", type: "application/vnd.api+json", kind: nil),
        Case(status: 200, body: #"{"ethereum":{"usd":2337.88},"status":{"usd":0.00984876}}"#, kind: nil),
        Case(status: 200, body: #"{"error":{"usd":1},"message":{"usd":2},"code":{"usd":3}}"#, kind: nil),
        Case(status: 200, body: #"{"status":{"error_code":0,"error_message":null},"data":[]}"#, kind: nil),
        Case(status: 200, body: #"{"error":[],"result":{}}"#, kind: nil),
        Case(status: 599, body: #"{"error":""}"#, kind: .server, retryable: true, says: "the server has a fault"),
        // CoinGecko's codes.
        Case(
            status: 400, body: #"{"timestamp":"t","error_code":10011,"status":{"error_message":"If you are …"}}"#,
            kind: .unauthorized, says: "set plan: demo"),
        Case(
            status: 400, body: #"{"status":{"error_code":10010,"error_message":"If you are …"}}"#, kind: .unauthorized,
            says: "set plan: pro"),
        Case(
            status: 401, body: #"{"status":{"error_code":10002,"error_message":"API Key Missing"}}"#,
            kind: .unauthorized, says: "key_file"),
        Case(
            status: 401, body: #"{"error":{"status":{"error_code":10005,"error_message":"exclusive to PRO"}}}"#,
            kind: .forbidden, says: "plan"),
        Case(
            status: 401, body: #"{"error":{"status":{"timestamp":"t","error_code":10012,"error_message":"range"}}}"#,
            kind: .forbidden, says: "365 days"),
        Case(status: 403, body: #"{"status":{"error_code":20000,"error_message":"ASN"}}"#, kind: .blocked),
        Case(status: 403, body: "error code: 1020", type: "text/plain; charset=UTF-8", kind: .blocked),
        Case(
            status: 429, body: "error code: 1015", type: "text/plain; charset=UTF-8", kind: .rateLimited,
            retryable: true),
        Case(status: 429, body: "Throttled", type: "text/html", kind: .rateLimited, retryable: true),
        Case(status: 429, body: limited, kind: .rateLimited, retryable: true, says: "exceeded the Rate Limit"),
        // An error inside an answer that claims success.
        Case(status: 200, body: limited, kind: .rateLimited, retryable: true),
        Case(status: 200, body: "error code: 1015", type: "text/plain", kind: .rateLimited, retryable: true),
        Case(status: 200, body: #"{"error":"coin not found"}"#, kind: .server, retryable: true, says: "coin not found"),
        Case(status: 200, body: #"{"status":500,"error":"Internal Server Error"}"#, kind: .server, retryable: true),
        Case(status: 200, body: #"{"status":"404","error":"gone"}"#, kind: .notFound),
        Case(
            status: 200, body: #"{"status":{"error_code":"1002","error_message":"x"}}"#, kind: .server, retryable: true),
        Case(status: 200, body: #"{"error":["EGeneral:Temporary lockout"]}"#, kind: .server, retryable: true),
        Case(status: 200, body: #"{"code":-1121,"msg":"Invalid symbol."}"#, kind: .server, retryable: true),
        // Web pages.
        Case(status: 200, body: html, type: "text/html; charset=UTF-8", kind: .blocked),
        Case(status: 200, body: html, type: "application/json", kind: .blocked),
        Case(status: 200, body: "  \n" + html, type: nil, kind: .blocked),
        Case(status: 403, body: html, type: "text/html", kind: .blocked),
        Case(status: 404, body: html, type: "text/html", kind: .notFound),
        Case(status: 429, body: html, type: "text/html", kind: .rateLimited, retryable: true),
        Case(status: 502, body: html, type: "text/html", kind: .server, retryable: true),
        // Statuses.
        Case(status: 301, body: "", kind: .badStatus),
        Case(status: 302, body: html, type: "text/html", kind: .badStatus, says: "url"),
        Case(status: 304, body: "", type: nil, kind: .badStatus, retryable: true),
        Case(status: 400, body: "{}", kind: .badRequest),
        Case(status: 401, body: "", kind: .unauthorized),
        Case(status: 402, body: "", kind: .forbidden),
        Case(status: 403, body: "{}", kind: .forbidden),
        Case(status: 404, body: #"{"error":"coin not found"}"#, kind: .notFound, says: "coin not found"),
        Case(status: 408, body: "", kind: .timeout, retryable: true),
        Case(status: 418, body: "", kind: .badStatus),
        Case(status: 422, body: #"{"error":"Missing parameter vs_currency"}"#, kind: .badRequest, says: "vs_currency"),
        Case(status: 500, body: #"{"status":500,"error":"Internal Server Error"}"#, kind: .server, retryable: true),
        Case(status: 500, body: #"[{"id":"bitcoin","current_price":1}]"#, kind: .server, retryable: true),
        Case(status: 500, body: #"{"status":"1","message":"Success","bids":[]}"#, kind: .server, retryable: true),
        Case(status: 502, body: "", kind: .server, retryable: true),
        Case(status: 503, body: "", kind: .server, retryable: true),
        Case(status: 504, body: "", kind: .server, retryable: true),
        Case(status: 599, body: "", kind: .server, retryable: true),
        Case(status: 799, body: "", kind: .badStatus),
        // Content that was not asked for.
        Case(status: 200, body: "[]", type: "text/plain", kind: .contentType),
        Case(status: 200, body: "%PDF", type: "application/pdf", kind: .contentType, says: "application/pdf"),
    ]

    let classification = Classification(
        operation: "get https://api.example.com/coins/markets", providerErrors: CoinGecko(plan: .public).errors)
    let now = Date(timeIntervalSince1970: 1_763_719_200)

    @Test(arguments: cases) func table(_ expected: Case) {
        var headers = HTTPFields()
        if let type = expected.type { headers.append("content-type", type) }
        let answer = HTTPAnswer(status: expected.status, headers: headers, body: Data(expected.body.utf8))
        let error = classification.error(in: answer, now: now)
        #expect(error?.kind == expected.kind)
        #expect(error?.isRetryable ?? false == expected.retryable)
        #expect(expected.says.isEmpty || error?.message.contains(expected.says) == true, "\(error?.message ?? "")")
        if let error {
            #expect(
                error.message.hasPrefix(
                    "get https://api.example.com/coins/markets: \(expected.status == 200 ? "" : "\(expected.status)")"))
        }
    }

    @Test func statusOfAnErrorCountsAlsoWhereTheBodyIsCutOff() {
        let cut = HTTPAnswer(status: 503, headers: ["Retry-After": "7"], body: Data(), cut: .tooLarge(limit: 8 << 20))
        let error = classification.error(in: cut, now: now)
        #expect(error?.kind == .server)
        #expect(error?.notBefore == NotBefore(at: now.addingTimeInterval(7), isNamed: true))
        let good = HTTPAnswer(
            status: 200, headers: [:], body: Data("[".utf8), cut: .transport("connection reset by peer"))
        #expect(classification.error(in: good, now: now)?.kind == .transport)
    }

    @Test(arguments: [
        (TransportFault.dns("x"), FeedError.Kind.dns, true), (.connect("x"), .connect, true), (.tls("x"), .tls, false),
        (.timeout(.seconds(20)), .timeout, true), (.transport("x"), .transport, true),
        (.tooLarge(limit: 8 << 20), .tooLarge, false), (.cancelled, .transport, false),
    ])
    func transportFaults(_ fault: TransportFault, _ kind: FeedError.Kind, _ retryable: Bool) {
        let error = classification.error(from: fault)
        #expect(error.kind == kind)
        #expect(error.isRetryable == retryable)
        #expect(error.notBefore == nil)
    }

    @Test func whatComesFromOutsideIsBoundedAndCannotMoveTheCursor() {
        let text = #"{"error":"\u001b[2J\r\nbad \u202e "# + String(repeating: "x", count: 5000) + #""}"#
        let error = classification.error(
            in: HTTPAnswer(status: 400, headers: [:], body: Data(text.utf8)), now: now)
        let message = error?.message ?? ""
        #expect(message.contains(#"\u001b[2J bad \u202e xxx"#), "\(message)")
        #expect(message.utf8.count < 500)
        #expect(!message.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test func aKeyThatTheServerEchoesIsTakenOut() {
        var classification = classification
        classification.redaction = Redaction(["CG-verysecretkey"])
        let body = #"{"error":"the key CG-verysecretkey is wrong"}"#
        let error = classification.error(in: HTTPAnswer(status: 401, headers: [:], body: Data(body.utf8)), now: now)
        #expect(error?.message.contains("the key *** is wrong") == true)
        let redirect = HTTPAnswer(status: 302, headers: ["Location": "/login?key=CG-verysecretkey"], body: Data())
        #expect(classification.error(in: redirect, now: now)?.message.contains("/login?key=***") == true)
        // Cut where the quoted text ends, it would no longer be found.
        let long = #"{"error":"\#(String(repeating: "x", count: 190))CG-verysecretkey"}"#
        let cut = classification.error(in: HTTPAnswer(status: 401, headers: [:], body: Data(long.utf8)), now: now)
        #expect(cut?.message.contains("CG-") == false)
    }
}
