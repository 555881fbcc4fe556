import Foundation
import Glibc

/// A port on loopback that refuses every connection, and that no other server can take as long as this lives.
package final class ClosedPort: Sendable {
    package let number: Int
    private let socket: Int32

    package init() throws {
        // Bound, and never listening.
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let taken = withUnsafeMutablePointer(to: &address) { [socket] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        guard taken else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
    }

    deinit { close(socket) }

    package var baseURL: String { "http://127.0.0.1:\(number)/api/v3" }
}
