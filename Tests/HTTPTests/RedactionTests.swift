import Foundation
import HTTP
import Testing

@testable import HTTP

@Suite struct RedactionTests {
    private let redaction = Redaction(
        ["CG-key/+1", "Bearer hunter2hunter2", "hunter2hunter2"],
        url: "https://prices.example.com/v1/t0k3n-of-mine/quote?symbol={id}&token={key}&user=joe&site=house-of-mine")

    @Test(
        "what we sent is taken out, however it is coded; other words stay",
        arguments: [
            ("your key CG-key/+1 is bad", "your key *** is bad"), ("/q?token=CG%2Dkey%2F%2B1", "/q?token=***"),
            (#"{"k": "CG-key\/+1"}"#, #"{"k": "***"}"#), ("got Bearer hunter2hunter2", "got ***"),
            ("hunter2hunter2", "***"), ("the pro plan", "the pro plan"),
            // A mark joins what stands before it, and must not hide it; nor must capitals.
            ("CG-key/+1\u{301}", "***\u{301}"), ("\u{D4E}CG-key/+1\u{200D}", "\u{D4E}***\u{200D}"),
            ("cg-KEY/+1", "***"),
            ("no /v1/t0k3n-of-mine/quote here", "no *** here"), ("no T0K3N-of-mine", "no ***"),
            (#"\/v1\/t0k3n-of-mine\/quote"#, "***"), ("user=joe&site=house-of-mine", "***&***"),
            ("user=joe", "***"), ("house%2Dof%2Dmine", "***"),
            ("no quote of prices.example.com for this symbol", "no quote of prices.example.com for this symbol"),
        ])
    func texts(said: String, expected: String) {
        #expect(redaction.apply(to: said).unicodeScalars.elementsEqual(expected.unicodeScalars))
        #expect(String(decoding: redaction.apply(to: Data(said.utf8)), as: UTF8.self) == expected)
    }

    @Test("a body without them is left as it is, and of a long one only the beginning is kept where it holds one")
    func bodies() {
        let clean = Data(repeating: 0xFF, count: 100)
        #expect(redaction.apply(to: clean) == clean)
        let long = Data("CG-key/+1".utf8) + Data(repeating: 0x20, count: 1 << 20)
        #expect(!String(decoding: redaction.apply(to: long), as: UTF8.self).contains("CG-key"))
    }

    @Test("the host is taken out where it is a secret, too")
    func host() {
        let text = "https://hooks.example.com:8443/x could not reach hooks.example.com"
        #expect(
            Redaction([], url: "https://hooks.example.com:8443/x").apply(to: text)
                == "*** could not reach hooks.example.com")
        #expect(
            Redaction([], url: "https://hooks.example.com:8443/x", hidesHost: true).apply(to: text)
                == "*** could not reach ***")
    }
}
