import Foundation
import Markets
import Testing

@testable import HTTP

@Suite struct HTTPFieldsTests {
    static let now = Date(utcText: "2025-07-25T14:53:00Z") ?? .distantPast

    /// Seconds from now.
    @Test(
        arguments: [
            (["Retry-After": "119"], 119), (["retry-after": " 120 "], 120), (["Retry-After": "1.5"], 1.5),
            (["Retry-After": "0.0001"], 0.001),
            (["Retry-After": "Fri, 25 Jul 2025 14:55:00 GMT"], 120),
            (["Retry-After": "Friday, 25-Jul-25 14:55:00 GMT"], 120),
            // A date is meant by the sender's clock.
            (["Retry-After": "Fri, 25 Jul 2025 16:55:00 GMT", "Date": "Fri, 25 Jul 2025 16:54:00 GMT"], 60),
            (["Retry-After": "99999999999"], 32 * 86_400),
            // Nothing that could be obeyed.
            ([:], nil), (["Retry-After": "0"], nil), (["Retry-After": "-5"], nil), (["Retry-After": "soon"], nil),
            (["Retry-After": "0x10"], nil), (["Retry-After": "Fri, 25 Jul 2025 14:52:00 GMT"], nil),
        ] as [([String: String], Double?)])
    func retryAfter(_ headers: [String: String], _ seconds: Double?) {
        let fields = HTTPFields(headers.map { (name: $0.key, value: $0.value) })
        #expect(fields.retryAfter(now: Self.now)?.inSeconds == seconds)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Thu, 29 Feb 2024 00:00:00 GMT", "2024-02-29T00:00:00Z"),
        ("Sat, 1 Jan 2028 23:59:59 UTC", "2028-01-01T23:59:59Z"),
    ])
    func dates(_ text: String, _ utc: String) { #expect(HTTPDate.parse(text)?.utcText == utc) }

    @Test(arguments: [
        "", "Sun", "Sun, 31 Feb 2024 00:00:00 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "06 Nov 1994",
        "Sun, 06 Nov 1994 08:49:37 PST",
    ])
    func noDates(_ text: String) { #expect(HTTPDate.parse(text) == nil) }

    @Test(
        arguments: [
            ("max-age=30", 30), ("public, MAX-AGE=30, s-maxage=60", 30), ("s-maxage=60", nil), ("no-store", nil),
            ("max-age=x", nil), ("max-age=-1", 0),
        ] as [(String, Int?)])
    func maxAge(_ control: String, _ seconds: Int?) {
        let fields: HTTPFields = ["Cache-Control": control]
        #expect(fields.maxAge == seconds.map { .seconds($0) })
    }
}
