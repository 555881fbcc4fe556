import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The real network: one HTTP client with one thread for the whole process.
///
/// Retries, redirects and caching are handled elsewhere and disabled in the client.
package final class NetworkTransport: HTTPTransport {
    private let group: MultiThreadedEventLoopGroup
    private let client: HTTPClient
    private let time: any TimeSource

    /// - Parameters:
    ///   - trustRoots: PEM files of certificate authorities to trust beside the system's. Throws if one cannot be
    ///     read.
    ///   - time: the clock of the timeouts.
    package init(trustRoots: [String] = [], time: any TimeSource = SystemTime()) throws {
        self.time = time
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10)),
            connectionPool: .init(idleTimeout: .seconds(30)),
            // The limit of a page: never decompress more than this, however small the compressed body.
            decompression: .enabled(limit: .size(8 << 20)))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.additionalTrustRoots = try trustRoots.map { .certificates(try NIOSSLCertificate.fromPEMFile($0)) }
        configuration.tlsConfiguration = tls
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    /// Closes all connections. Nothing can be sent afterwards; must be called before the last reference is released.
    package func shutdown() async {
        try? await client.shutdown()
        try? await group.shutdownGracefully()
    }

    /// The timeout covers the body, too: a server that sends it slowly must not exceed it.
    package func exchange(
        _ request: WireRequest, within timeout: Duration
    ) async throws(TransportFault) -> HTTPAnswer {
        guard timeout > .zero else { throw .timeout(timeout) }
        let (timeIsUp, result) = await withTaskGroup(of: Result<HTTPAnswer, TransportFault>?.self) { group in
            group.addTask { await self.perform(request, timeout) }
            group.addTask {
                try? await self.time.sleep(for: timeout)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            let second = await group.next() ?? nil
            return (first == nil, first ?? second ?? .failure(.cancelled))
        }
        if Task.isCancelled { throw .cancelled }
        switch result {
        case .success(var answer):
            if timeIsUp, answer.cut == .cancelled { answer.cut = .timeout(timeout) }
            return answer
        case .failure(let fault):
            throw timeIsUp && fault == .cancelled ? .timeout(timeout) : fault
        }
    }

    private func perform(_ request: WireRequest, _ timeout: Duration) async -> Result<HTTPAnswer, TransportFault> {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        outgoing.headers = HTTPHeaders(request.headers.all.map { ($0.name, $0.value) })
        outgoing.headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip, deflate")
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            // Longer than our own timeout, which ends both head and body.
            let deadline = NIODeadline.now() + TimeAmount(timeout) + .seconds(5)
            let response = try await client.execute(outgoing, deadline: deadline)
            return .success(await answer(response, limit: request.bodyLimit, timeout))
        } catch {
            return .failure(TransportFault(error, timeout: timeout))
        }
    }

    /// Reads the body and checks its size while it streams.
    private func answer(_ response: HTTPClientResponse, limit: Int, _ timeout: Duration) async -> HTTPAnswer {
        let headers = HTTPFields(response.headers.map { (name: $0.name, value: $0.value) })
        var answer = HTTPAnswer(status: Int(response.status.code), headers: headers, body: Data())
        if let announced = headers["Content-Length"].flatMap({ Int($0) }), announced > limit {
            answer.cut = .tooLarge(limit: limit)
            return answer
        }
        // Joined at the end: a growing body would be copied repeatedly and take three times the memory.
        var pieces: [ByteBuffer] = []
        var count = 0
        do {
            for try await piece in response.body {
                count += piece.readableBytes
                guard count <= limit else {
                    answer.cut = .tooLarge(limit: limit)
                    return answer
                }
                pieces.append(piece)
            }
        } catch {
            answer.cut = TransportFault(error, timeout: timeout)
        }
        answer.body.reserveCapacity(count)
        for piece in pieces { answer.body.append(contentsOf: piece.readableBytesView) }
        return answer
    }
}

extension TransportFault {
    /// Classifies the errors of the network stack.
    init(_ error: any Error, timeout: Duration) {
        switch error {
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self.init(client: error, timeout)
        case let error as NIOConnectionError: self.init(connection: error)
        case let error as SocketAddressError.UnknownHost: self = .dns(error.text)
        case let error as IOError: self = error.isRefusal ? .connect(error.text) : .transport(error.text)
        case ChannelError.connectTimeout(let limit):
            self = .connect("no answer to the connection attempt in \(limit.nanoseconds / 1_000_000_000) s")
        case NIOSSLError.uncleanShutdown: self = .transport("the connection was closed in the middle")
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = .tls(Self.tlsText(error))
        case is HTTPParserError: self = .transport("what came is not HTTP or was cut off (\(error))")
        default: self.init(other: error)
        }
    }

    private init(client error: HTTPClientError, _ timeout: Duration) {
        switch error {
        case .cancelled, .requestStreamCancelled: self = .cancelled
        case .connectTimeout: self = .connect("no answer to the connection attempt in 10 s")
        case .tlsHandshakeTimeout: self = .tls("the handshake took too long")
        case .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout: self = .timeout(timeout)
        case .remoteConnectionClosed: self = .transport("the connection was closed before the answer was complete")
        default: self = .transport("\(error)")
        }
    }

    private init(connection error: NIOConnectionError) {
        if let first = error.connectionErrors.first {
            self = .connect((first.error as? IOError)?.text ?? "\(first.error)")
        } else if let lookup = error.dnsAError ?? error.dnsAAAAError {
            self = .dns((lookup as? SocketAddressError.UnknownHost)?.text ?? "\(lookup)")
        } else {
            self = .connect("no address of \(error.host) could be tried")
        }
    }

    /// Compares the type's name, which a test pins: the module of the decompression error cannot be imported.
    private init(other error: any Error) {
        let type = String(describing: type(of: error))
        if type == "DecompressionError", "\(error)" == "limit" {
            self = .tooLarge(limit: 8 << 20)
        } else if type.hasSuffix("DecompressionError") {
            self = .transport("the packed body is damaged (\(error))")
        } else {
            self = .transport("\(error)")
        }
    }

    private static func tlsText(_ error: any Error) -> String {
        let text = "\(error)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate") {
            return "the certificate is not trusted"
        }
        if text.contains("failedToValidateHostname") || text.contains("serverHostnameImpossibleToMatch") {
            return "the certificate belongs to another host"
        }
        if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
            return "the server does not speak TLS on this port"
        }
        if text.contains("PROTOCOL_VERSION") || text.contains("UNSUPPORTED_PROTOCOL") {
            return "the server does not offer TLS 1.2 or later"
        }
        return text
    }
}

extension IOError {
    /// True if there never was a connection.
    fileprivate var isRefusal: Bool {
        [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EHOSTDOWN, ENETDOWN, EACCES, EPERM].contains(errnoCode)
    }

    /// `connection refused`: the system's text in lower case.
    fileprivate var text: String { String(cString: strerror(errnoCode)).lowercased() }
}

extension SocketAddressError.UnknownHost {
    fileprivate var text: String { "no address found for \(host)" }
}
