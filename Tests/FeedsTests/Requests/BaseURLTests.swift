import HTTP
import Markets
import Testing

@testable import Feeds

@Suite("Base URL")
struct BaseURLTests {
    @Test(arguments: [
        "https://api.coingecko.com/api/v3", "https://example.com:8443", "http://127.0.0.1:8080/api/v3",
        "http://localhost",
        "http://[::1]:80/x", "http://127.255.0.9", "HTTP://LOCALHOST:1",
    ])
    func accepted(_ text: String) throws { _ = try BaseURL(text) }

    @Test(arguments: [
        ("http://example.com", "plain http"), ("http://127.0.0.1.example.com", "plain http"),
        ("http://127.0.0.1x", "plain http"),
        ("http://localhost.example.com", "plain http"), ("http://10.0.0.1", "plain http"),
        ("http://127.1", "plain http"),
        ("ftp://example.com", "https://"), ("example.com", "must have a form"), ("", "must have a form"),
        ("https://", "no host"),
        ("https://user:pw@example.com", "user name"), ("https://example.com/#x", "fragment"),
        ("https://exa mple.com", "must have a form"),
        ("https://example.com\r\nHost: x", "must have a form"), ("https://example.com:99999", "port"),
    ])
    func refused(_ text: String, _ reason: String) {
        let error = #expect(throws: InvalidName.self) { try BaseURL(text) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func plainHTTPWhereItIsAllowed() throws {
        #expect(try BaseURL("http://prices.lan/v1/", allowHTTP: true).text == "http://prices.lan/v1")
    }

    @Test func aSecretNeverPrints() {
        let secret = Secret("CG-abcdef")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in [
            "\(secret)", String(reflecting: secret), String(describing: Optional(secret)), dumped, "\([secret])",
        ] {
            #expect(!text.contains("abcdef"))
        }
    }
}
