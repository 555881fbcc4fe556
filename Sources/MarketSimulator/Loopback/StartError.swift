internal import Foundation
internal import NIOCore

extension LoopbackServer {
    /// Why the server could not listen.
    public enum StartError: Error, Hashable, CustomStringConvertible {
        case portTaken(Int)
        /// Ports below 1024 belong to root.
        case notPermitted(Int)
        case noSuchPort(Int)
        case other(Int, cause: String)

        init(_ error: any Error, port: Int) {
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: self = .portTaken(port)
            case EACCES, EPERM: self = .notPermitted(port)
            default: self = .other(port, cause: "\(error)")
            }
        }

        public var description: String {
            switch self {
            case .portTaken(let port):
                "listen on 127.0.0.1:\(port): the port is taken (choose another, or 0 for a free one)"
            case .notPermitted(let port):
                "listen on 127.0.0.1:\(port): permission denied (choose a port above 1023, or 0 for a free one)"
            case .noSuchPort(let port):
                "listen on 127.0.0.1:\(port): no such port (choose one up to 65535, or 0 for a free one)"
            case .other(let port, let cause):
                "listen on 127.0.0.1:\(port): \(cause)"
            }
        }
    }
}
