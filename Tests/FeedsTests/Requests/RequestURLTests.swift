import Foundation
import Testing

@testable import Feeds

@Suite("URLs of requests")
struct RequestURLTests {
    @Test(arguments: [
        ("bitcoin", "/coins/bitcoin/chart"), ("a/b", "/coins/a%2Fb/chart"),
        ("boringdao-[old]", "/coins/boringdao-%5Bold%5D/chart"),
        ("a b", "/coins/a%20b/chart"), ("..", "/coins/%2E%2E/chart"), ("é?#%+", "/coins/%C3%A9%3F%23%25%2B/chart"),
    ])
    func aParameterStaysOneSegment(_ id: String, _ path: String) {
        #expect("/coins/\(id.pathSegment)/chart" == path)
    }

    @Test(arguments: [
        ("a+b", "ids=a%2Bb"), ("a b", "ids=a%20b"), ("a,b", "ids=a,b"), ("a&b=c", "ids=a%26b%3Dc"), ("é", "ids=%C3%A9"),
        ("boringdao-[old]", "ids=boringdao-%5Bold%5D"), ("50%", "ids=50%25"),
    ])
    func queryValuesAreEscaped(_ value: String, _ query: String) {
        #expect(RequestQuery(dictionaryLiteral: ("ids", value)).encoded == query)
    }

    @Test func pathAndQueryJoinTheBase() throws {
        let base = try BaseURL("https://example.com/api/v3/?token=x")
        let url = base.url(path: "/coins", query: ["a": "1"])
        #expect(url == "https://example.com/api/v3/coins?token=x&a=1")
        #expect(base.place(of: "/coins") == "https://example.com/api/v3/coins")
        #expect(try BaseURL("https://example.com").url(path: "/ping", query: [:]) == "https://example.com/ping")
    }
}
