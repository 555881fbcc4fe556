import Foundation
import Testing

@testable import Feeds

@Suite struct RedactionTests {
    private let redaction = Redaction(
        key: Secret("CG-key/+1"),
        headers: [("Authorization", "Bearer hunter2hunter2"), ("Accept", "application/json"), ("X-Plan", "pro")])

    @Test(
        "what we sent is taken out, however it is coded; other words stay",
        arguments: [
            ("your key CG-key/+1 is bad", "your key (secret) is bad"),
            ("/q?token=CG%2Dkey%2F%2B1", "/q?token=(secret)"), (#"{"k": "CG-key\/+1"}"#, #"{"k": "(secret)"}"#),
            ("got Bearer hunter2hunter2", "got (secret)"), ("hunter2hunter2", "(secret)"),
            ("the pro plan", "the pro plan"),
        ])
    func texts(said: String, expected: String) {
        #expect(redaction.apply(to: said) == expected)
        let answer = HTTPAnswer(
            status: 401, headers: ["Location": said, "Content-Type": "application/json"], body: Data(said.utf8))
        let quotable = redaction.apply(to: answer)
        #expect(String(decoding: quotable.body, as: UTF8.self) == expected)
        #expect(quotable.headers["Location"] == expected)
        #expect(quotable.headers["Content-Type"] == "application/json")
    }

    @Test("an answer without them is left as it is, and of a long one only the beginning is kept where it holds one")
    func bodies() {
        let clean = HTTPAnswer(status: 200, headers: [:], body: Data(repeating: 0xFF, count: 100))
        #expect(redaction.apply(to: clean).body == clean.body)
        let long = HTTPAnswer(
            status: 200, headers: [:], body: Data("CG-key/+1".utf8) + Data(repeating: 0x20, count: 1 << 20))
        #expect(!String(decoding: redaction.apply(to: long).body, as: UTF8.self).contains("CG-key"))
    }
}
