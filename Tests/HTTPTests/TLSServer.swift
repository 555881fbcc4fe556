import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Speaks TLS on loopback with a certificate made for the occasion, and answers every request alike.
struct TLSServer {
    let port: Int
    /// The certificate as a PEM file, for whoever wants to trust it.
    let certificateFile: String
    private let channel: any Channel
    private let folder: URL

    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// - Parameters:
    ///   - names: of the certificate, such as `DNS:localhost,IP:127.0.0.1`.
    ///   - newest: the newest version of TLS that it speaks; nil: the library's newest.
    static func start(names: String, body: String, newest: TLSVersion? = nil) async throws -> TLSServer {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("feeds-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = folder.appendingPathComponent("key.pem").path
        let certificate = folder.appendingPathComponent("certificate.pem").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: openssl ?? "")
        process.arguments =
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=pricewatch-tests"
            .split(
                separator: " "
            ).map(String.init) + ["-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = newest
        let context = try NIOSSLContext(configuration: configuration)
        let text =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context), Answering(text))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TLSServer(
            port: channel.localAddress?.port ?? 0, certificateFile: certificate, channel: channel, folder: folder)
    }

    func stop() async throws {
        try await channel.close()
        try FileManager.default.removeItem(at: folder)
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let text: String

        init(_ text: String) { self.text = text }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text))).whenComplete { _ in
                loopBound.value.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
