import Foundation
import Testing

@testable import Feeds

@Suite("URLs and bodies of requests")
struct RequestURLTests {
    @Test(arguments: [
        ("bitcoin", "/coins/bitcoin/chart"), ("a/b", "/coins/a%2Fb/chart"),
        ("boringdao-[old]", "/coins/boringdao-%5Bold%5D/chart"),
        ("a b", "/coins/a%20b/chart"), ("..", "/coins/%2E%2E/chart"), ("é?#%+", "/coins/%C3%A9%3F%23%25%2B/chart"),
    ])
    func aParameterStaysOneSegment(_ id: String, _ path: String) {
        let made: RequestPath = "/coins/\(id)/chart"
        #expect(made.encoded == path)
    }

    @Test(arguments: [
        ("a+b", "ids=a%2Bb"), ("a b", "ids=a%20b"), ("a,b", "ids=a,b"), ("a&b=c", "ids=a%26b%3Dc"), ("é", "ids=%C3%A9"),
        ("boringdao-[old]", "ids=boringdao-%5Bold%5D"), ("50%", "ids=50%25"),
    ])
    func queryValuesAreEscaped(_ value: String, _ query: String) {
        #expect(QueryText.encoded([URLQueryItem(name: "ids", value: value)]) == query)
    }

    @Test func pathAndQueryJoinTheBase() throws {
        let base = try BaseURL("https://example.com/api/v3/?token=x")
        let url = base.url(path: "/coins", query: [URLQueryItem(name: "a", value: "1")])
        #expect(url == "https://example.com/api/v3/coins?token=x&a=1")
        #expect(base.place(of: "/coins") == "https://example.com/api/v3/coins")
        #expect(try BaseURL("https://example.com").url(path: "/ping", query: []) == "https://example.com/ping")
    }

    @Test func bodies() throws {
        let form = RequestBody.form([URLQueryItem(name: "a", value: "1+1 &"), URLQueryItem(name: "b", value: "é")])
        #expect(try String(decoding: form.encoded(), as: UTF8.self) == "a=1%2B1%20%26&b=%C3%A9")
        #expect(form.contentType == "application/x-www-form-urlencoded")
        let json = RequestBody.json(["b": "/", "a": "é"])
        #expect(try String(decoding: json.encoded(), as: UTF8.self) == #"{"a":"é","b":"/"}"#)
    }
}
