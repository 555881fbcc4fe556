import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension TransportFault {
    /// Classifies the errors of the network stack.
    init(_ error: any Error, timeout: Duration) {
        switch error {
        case is CancellationError: self = .cancelled
        case let error as TransportFault: self = error
        case let error as HTTPClientError: self.init(client: error, timeout)
        case let error as NIOConnectionError: self.init(connection: error)
        case let error as SocketAddressError.UnknownHost: self = .dns(error.text)
        case let error as IOError: self.init(system: error)
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
            if let system = first.error as? IOError {
                self = .connect(system.text)
            } else {
                self = .connect("\(first.error)")
            }
        } else if let lookup = error.dnsAError ?? error.dnsAAAAError {
            self = .dns((lookup as? SocketAddressError.UnknownHost)?.text ?? "\(lookup)")
        } else {
            self = .connect("no address of \(error.host) could be tried")
        }
    }

    private init(system error: IOError) {
        switch error.errnoCode {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EHOSTDOWN, ENETDOWN, EACCES, EPERM:
            self = .connect(error.text)
        default: self = .transport(error.text)
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
        return text
    }
}

extension IOError {
    /// `connection refused`: the system's text in lower case.
    fileprivate var text: String { String(cString: strerror(errnoCode)).lowercased() }
}

extension SocketAddressError.UnknownHost {
    fileprivate var text: String { "no address found for \(host)" }
}
