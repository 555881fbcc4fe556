import HTTP
import Testing

@testable import Feeds

@Suite struct EnvironmentRedactionTests {
    @Test(
        "key, values of headers and the owner's URL are secrets; short words of headers are none",
        arguments: [
            ("your key CG-key/+1 is bad", "your key *** is bad"), ("got Bearer hunter2hunter2", "got ***"),
            ("hunter2hunter2", "***"), ("the pro plan", "the pro plan"), ("no /v1/t0k3n-of-mine here", "no *** here"),
        ])
    func redaction(said: String, expected: String) throws {
        var environment = try environment("https://prices.example.com")
        environment.ownURL = Secret("https://prices.example.com/v1/t0k3n-of-mine?symbol={id}")
        let redaction = environment.redaction(
            key: Secret("CG-key/+1"), [("Authorization", "Bearer hunter2hunter2"), ("X-Plan", "pro")])
        #expect(redaction.apply(to: said) == expected)
    }
}
