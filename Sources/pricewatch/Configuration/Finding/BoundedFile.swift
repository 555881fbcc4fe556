import Foundation

/// Reads small files whole. A configuration or key over 1 MiB is a mistake, such as the path of a device.
enum BoundedFile {
    static let limit = 1 << 20

    struct Unreadable: Error, Hashable, Sendable {
        /// Such as `permission denied`.
        var reason: String
        var code: Int32 = 0

        var isAbsent: Bool { [ENOENT, ENOTDIR].contains(code) }
        var isForbidden: Bool { [EACCES, EPERM].contains(code) }
    }

    static func text(_ path: String) throws(Unreadable) -> String {
        let bytes = try bytes(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Unreadable(reason: "not UTF-8 text")
        }
        return text
    }

    private static func bytes(_ path: String) throws(Unreadable) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(errno) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw Unreadable(reason: "larger than 1 MiB") }
        }
    }

    /// Whether `path` exists; `hidden` is the result if a folder without permission conceals it.
    static func exists(_ path: String, hidden: Bool) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 || (errno == EACCES && hidden)
    }

    private static func unreadable(_ code: Int32) -> Unreadable {
        Unreadable(reason: String(cString: strerror(code)).lowercased(), code: code)
    }
}
