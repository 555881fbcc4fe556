import Foundation

/// A blocking socket on a thread of its own: shows how a connection really ends.
package enum RawClient {
    package enum End: Equatable {
        /// The server closed in order.
        case closed
        case reset
        /// We had what we wanted first.
        case enough
    }

    package struct Exchange {
        package var text: String
        package var end: End
    }

    /// Sends `bytes` and reads until `enough` says so or the connection ends.
    package static func send(
        _ bytes: String, port: Int, until enough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws -> Exchange {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try exchange(bytes, port: port, enough) })
            }
        }
    }

    /// The caller closes it.
    package static func connection(to port: Int, sending bytes: String) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            let code = errno
            close(descriptor)
            throw POSIXError(.init(rawValue: code) ?? .ECONNREFUSED)
        }
        _ = bytes.withCString { Foundation.send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        return descriptor
    }

    private static func exchange(_ bytes: String, port: Int, _ enough: (String) -> Bool) throws -> Exchange {
        let descriptor = try connection(to: port, sending: bytes)
        defer { close(descriptor) }
        var read = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 { return Exchange(text: String(decoding: read, as: UTF8.self), end: .reset) }
            if count == 0 { return Exchange(text: String(decoding: read, as: UTF8.self), end: .closed) }
            read += buffer.prefix(count)
            let text = String(decoding: read, as: UTF8.self)
            if enough(text) { return Exchange(text: text, end: .enough) }
        }
    }
}
