import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

@Suite("When a provider may be asked again")
struct NotBeforeTests {
    static let now = Date(utcText: "2025-07-25T14:53:00Z") ?? .distantPast

    /// Seconds from now; nil where nothing is named.
    @Test(
        arguments: [
            (["Retry-After": "119"], 119), (["Retry-After": "Fri, 25 Jul 2025 14:55:00 GMT"], 120),
            (["x-ratelimit-reset": "2025-07-25 14:54:00 +0000"], 60),
            (["Retry-After": "5", "x-ratelimit-reset": "2025-07-25 14:54:00 +0000"], 5),
            (["Retry-After": "soon", "x-ratelimit-reset": "2025-07-25 14:54:00 +0000"], 60),
            // Nothing that could be obeyed.
            ([:], nil), (["Retry-After": "0"], nil), (["Retry-After": "soon"], nil),
            (["x-ratelimit-reset": "2025-07-25 14:52:00 +0000"], nil), (["x-ratelimit-reset": "never"], nil),
        ] as [([String: String], Double?)])
    func namedAtRateLimit(_ headers: [String: String], _ seconds: Double?) {
        let fields = HTTPFields(headers.map { (name: $0.key, value: $0.value) })
        let hint = NotBefore(.rateLimited, fields, now: Self.now)
        #expect(hint?.isNamed == (seconds != nil))
        // Without a hint a rate limit still waits a minute.
        #expect(hint?.at.timeIntervalSince(Self.now) == seconds ?? 60)
    }

    @Test func otherErrorsWaitOnlyWhereToldTo() {
        #expect(NotBefore(.server, [:], now: Self.now) == nil)
        #expect(NotBefore(.server, ["x-ratelimit-reset": "2025-07-25 14:54:00 +0000"], now: Self.now) == nil)
        #expect(NotBefore(.server, ["Retry-After": "60"], now: Self.now)?.isNamed == true)
    }
}
