import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct DemoTests {
    @Test("in a pipe: where to look, log lines, chart and summary; nothing stays behind", arguments: [true, false])
    func pipe(interrupted: Bool) async throws {
        let temporary = try TemporaryFolder()
        let demo = try Program.start(
            ["demo", "--for", interrupted ? "60s" : "3s"], environment: ["TMPDIR": temporary.path])
        try await eventually("a first poll") { demo.output.contains("poll.ok") }
        let url = try #require(demo.output.firstMatch(of: /(?m)^or in a browser: http:\/\/127\.0\.0\.1:(\d+)\/$/))
        let page = try await RawClient.send(
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", port: try #require(Int(url.output.1)))
        #expect(page.text.contains("<bdi>Solana</bdi>"))
        if interrupted { demo.signal(SIGINT) }
        let ending = await demo.ended()
        #expect(ending.exit == 0 && ending.errors.isEmpty, "\(ending.errors)")
        let lines = ending.output.split(separator: "\n")
        let first = try #require(lines.first)
        #expect(first.contains("pricewatch status --config \(temporary.path)/pricewatch-demo-"))
        #expect(lines.contains { $0.contains("service.started") })
        #expect(lines.contains { $0.hasPrefix("Solana (SOL) in usd") })
        #expect(lines.contains { $0.hasPrefix("  moves ") })
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }
}
