import Engine
import Foundation
import MarketSimulator
import Markets
import Testing

@testable import Feeds

@Suite("TLS", .enabled(if: TLSServer.openssl != nil, "openssl makes the certificates"))
struct TLSTests {
    func poll(_ port: Int, trusting roots: [String] = []) async throws -> PollReport {
        let network = try NetworkTransport(trustRoots: roots)
        let feed = Feed(
            CoinGecko(plan: .public), try environment("https://localhost:\(port)/api/v3"), transport: network,
            memory: TransientMemory(), retry: RetryPolicy(attempts: 2, base: .milliseconds(1)))
        let report = try await feed.poll(try watch("bitcoin"), within: .seconds(10))
        await network.shutdown()
        return report
    }

    @Test func aCertificateThatNobodyKnowsIsRefused() async throws {
        let server = try await TLSServer.start(names: "DNS:localhost", body: rows(row("bitcoin", "1")))
        let report = try await poll(server.port)
        try await server.stop()
        #expect(report.error?.kind == .tls)
        #expect(
            report.error?.message.contains("the certificate is not trusted") == true, "\(report.error?.message ?? "")")
        #expect(report.requests == 1)
    }

    @Test func aCertificateOfAnotherHostIsRefused() async throws {
        let server = try await TLSServer.start(names: "DNS:other.example", body: rows(row("bitcoin", "1")))
        let report = try await poll(server.port, trusting: [server.certificateFile])
        try await server.stop()
        #expect(report.error?.kind == .tls)
        #expect(report.error?.message.contains("belongs to another host") == true, "\(report.error?.message ?? "")")
    }

    @Test func aTrustedCertificateIsAccepted() async throws {
        let server = try await TLSServer.start(names: "DNS:localhost", body: rows(row("bitcoin", "1")))
        let report = try await poll(server.port, trusting: [server.certificateFile])
        try await server.stop()
        #expect(report.answer?.prices == ["bitcoin": "1"], "\(report.error?.message ?? "")")
    }

    @Test func aPortThatSpeaksNoTLS() async throws {
        let plain = try await LoopbackServer.start { _ in .json("[]") }
        let report = try await poll(plain.port)
        await plain.stop()
        #expect(report.error?.kind == .tls, "\(report.error?.message ?? "")")
    }
}
