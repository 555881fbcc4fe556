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
        if !trustRoots.isEmpty {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = try trustRoots.map { .certificates(try NIOSSLCertificate.fromPEMFile($0)) }
            configuration.tlsConfiguration = tls
        }
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
            var timeIsUp = false
            var result = Result<HTTPAnswer, TransportFault>.failure(.cancelled)
            while let next = await group.next() {
                if let next { result = next } else { timeIsUp = true }
                if !timeIsUp { break }
                group.cancelAll()
            }
            group.cancelAll()
            return (timeIsUp, result)
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
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers = HTTPHeaders(request.headers.all.map { ($0.name, $0.value) })
        outgoing.headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip, deflate")
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            // Longer than our own timeout, which ends both head and body.
            let deadline = NIODeadline.now() + .nanoseconds(timeout.nanoseconds) + .seconds(5)
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

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(seconds, 1_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
