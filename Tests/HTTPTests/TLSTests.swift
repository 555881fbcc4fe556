import Foundation
import MarketSimulator
import NIOSSL
import Testing

@testable import HTTP

@Suite("TLS", .enabled(if: TLSServer.openssl != nil, "openssl makes the certificates"))
struct TLSTests {
    /// The body, or the fault.
    private func get(_ port: Int, trusting roots: [String] = []) async throws -> Result<String, TransportFault> {
        let network = try NetworkTransport(trustRoots: roots)
        let request = WireRequest(
            url: "https://localhost:\(port)/", headers: [:], bodyLimit: 1 << 20)
        let result: Result<String, TransportFault>
        do {
            result = .success(
                String(decoding: try await network.exchange(request, within: .seconds(10)).body, as: UTF8.self))
        } catch {
            result = .failure(error)
        }
        await network.shutdown()
        return result
    }

    @Test func aCertificateThatNobodyKnowsIsRefused() async throws {
        let server = try await TLSServer.start(names: "DNS:localhost", body: "[]")
        let result = try await get(server.port)
        try await server.stop()
        #expect(result == .failure(.tls("the certificate is not trusted")))
    }

    @Test func aCertificateOfAnotherHostIsRefused() async throws {
        let server = try await TLSServer.start(names: "DNS:other.example", body: "[]")
        let result = try await get(server.port, trusting: [server.certificateFile])
        try await server.stop()
        #expect(result == .failure(.tls("the certificate belongs to another host")))
    }

    @Test func aTrustedCertificateIsAccepted() async throws {
        let server = try await TLSServer.start(names: "DNS:localhost", body: "[1]")
        let result = try await get(server.port, trusting: [server.certificateFile])
        try await server.stop()
        #expect(result == .success("[1]"))
    }

    @Test("TLS 1.0 and 1.1 are refused, 1.2 is spoken", arguments: [TLSVersion.tlsv1, .tlsv11, .tlsv12])
    func oldVersions(newest: TLSVersion) async throws {
        let server = try await TLSServer.start(names: "DNS:localhost", body: "[1]", newest: newest)
        let result = try await get(server.port, trusting: [server.certificateFile])
        try await server.stop()
        let refused = TransportFault.tls("the server does not offer TLS 1.2 or later")
        #expect(result == (newest == .tlsv12 ? .success("[1]") : .failure(refused)))
    }

    @Test func aPortThatSpeaksNoTLS() async throws {
        let plain = try await LoopbackServer.start { _ in .json("[]") }
        let result = try await get(plain.port)
        await plain.stop()
        #expect(result == .failure(.tls("the server does not speak TLS on this port")))
    }
}
