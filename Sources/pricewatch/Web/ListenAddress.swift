import Foundation
import Glibc
import HTTP

/// Where the page is served, as `--listen` has it: `127.0.0.1:8486`, `[::1]:8486`, `localhost:8486`, `unix:/path`.
struct ListenAddress: Sendable {
    var address: HTTPServer.Address
    /// Whether other machines can reach it.
    var isPublic = false

    static let standard = ListenAddress(address: .tcp("127.0.0.1", port: 8486))

    /// nil: no address.
    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            // The system's limit, with the zero at the end.
            guard path.hasPrefix("/"), path.utf8.count < 108 else { return nil }
            address = .unix(path: path)
            return
        }
        guard let host = HostName(text), let port = host.port else { return nil }
        switch host.name {
        case .name("localhost"): address = .tcp("127.0.0.1", port: port)
        case .name: return nil
        case .v4(let bytes): address = .tcp(bytes.map(String.init).joined(separator: "."), port: port)
        case .v6(let text): address = .tcp(text, port: port)
        }
        isPublic = !host.isLoopback
    }

    private init(address: HTTPServer.Address) { self.address = address }

    /// The socket that systemd has opened for this process (`LISTEN_FDS`, sd_listen_fds(3)); nil: there is none.
    static func inherited(_ environment: [String: String]) -> ListenAddress? {
        guard environment["LISTEN_PID"] == "\(getpid())", environment["LISTEN_FDS"] == "1" else { return nil }
        let first: CInt = 3
        _ = fcntl(first, F_SETFD, FD_CLOEXEC)
        return ListenAddress(address: .inherited(descriptor: first))
    }

    /// `http://127.0.0.1:8486/`; a Unix socket and systemd's by their own names.
    func url(port: Int?) -> String {
        switch address {
        case .tcp(let host, let asked):
            "http://\(host.contains(":") ? "[\(host)]" : host):\(port ?? asked)/"
        case .unix(let path): "unix:\(path)"
        case .inherited: port.map { "http://127.0.0.1:\($0)/" } ?? "the socket of systemd"
        }
    }
}

/// A host with a port, as `Host` has it (RFC 9110, 7.2), read into what it means: text that only looks like an address
/// (`127.0.0.1.evil.example`) is a name.
struct HostName: Hashable, Sendable {
    enum Name: Hashable, Sendable {
        /// Lower case, without a dot at the end.
        case name(String)
        case v4([UInt8])
        case v6(String)
    }

    var name: Name
    var port: Int?

    /// nil: malformed.
    init?(_ text: String) {
        guard text.utf8.count <= 300, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        var rest = text[...]
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let literal = String(rest[rest.index(after: rest.startIndex)..<end])
            var bytes = in6_addr()
            guard inet_pton(AF_INET6, literal, &bytes) == 1 else { return nil }
            // One spelling for each address.
            var canonical = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            guard inet_ntop(AF_INET6, &bytes, &canonical, socklen_t(canonical.count)) != nil else { return nil }
            name = .v6(String(decoding: canonical.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
            rest = rest[rest.index(after: end)...]
        } else {
            let host = rest.prefix { $0 != ":" }
            rest = rest.dropFirst(host.count)
            var plain = host.lowercased()
            if plain.hasSuffix(".") { plain.removeLast() }
            let allowed = plain.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
            }
            guard !plain.isEmpty, allowed, !plain.hasPrefix("."), !plain.hasSuffix(".") else { return nil }
            var bytes = in_addr()
            if inet_pton(AF_INET, plain, &bytes) == 1 {
                name = .v4(withUnsafeBytes(of: bytes.s_addr, Array.init))
            } else {
                name = .name(plain)
            }
        }
        if rest.isEmpty { return }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), port <= 65_535
        else { return nil }
        self.port = port
    }

    /// This machine's own name for itself, whoever resolves it.
    var isLoopback: Bool {
        switch name {
        case .name(let name): name == "localhost"
        case .v4(let bytes): bytes[0] == 127
        case .v6(let text): text == "::1"
        }
    }
}

/// The hosts under which the page may be asked for. A page of a foreign site whose name resolves to this machine (DNS
/// rebinding) is refused by its name.
struct AllowedHosts: Sendable {
    private let names: Set<HostName.Name>

    /// - Parameter names: Those of `--allow-host`, valid.
    init(_ names: [HostName] = []) { self.names = Set(names.map(\.name)) }

    /// The port is not compared: a proxy in front of us has its own.
    func allows(_ host: HostName) -> Bool { host.isLoopback || names.contains(host.name) }
}
