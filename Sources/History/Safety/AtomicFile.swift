import Foundation
import Glibc

/// A file that is replaced as a whole: a reader sees the old content or the new, never a part.
///
/// The new content is written beside it under a random, unused name, so that it never goes through a link planted by
/// another user.
package struct AtomicFile: Sendable {
    package let path: String
    /// Before the umask, see `FileAccess.grant`.
    private let mode: mode_t

    /// A temporary file not written to for this long, in seconds, belongs to a process that was killed.
    private static let abandonedAfter = 3600

    package init(path: String, mode: mode_t = 0o644) {
        self.path = path
        self.mode = mode
    }

    package func replace(with bytes: [UInt8]) throws(FileFault) {
        let (temporary, descriptor) = try create()
        defer { close(descriptor) }
        do {
            try write(bytes, to: descriptor)
            try move(temporary)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// - Parameter fill: writes to the empty file at the given path.
    func replace(filling fill: (String) throws -> Void) throws {
        removeAbandoned()
        let (temporary, descriptor) = try create()
        close(descriptor)
        do {
            try fill(temporary)
            try move(temporary)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    package func makeFolder() throws(FileFault) {
        let folder = (path as NSString).deletingLastPathComponent
        if folder.isEmpty { return }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw FileFault("make the folder", folder, errno)
        }
    }

    private func create() throws(FileFault) -> (path: String, descriptor: CInt) {
        let temporary = String(format: "%@.%016llx.tmp", path, UInt64.random(in: 0...UInt64.max))
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw FileFault("write", path, errno) }
        FileAccess.grant(mode, to: descriptor)
        return (temporary, descriptor)
    }

    private func write(_ bytes: [UInt8], to descriptor: CInt) throws(FileFault) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFault("write", path, errno) }
            written += count
        }
    }

    private func move(_ temporary: String) throws(FileFault) {
        guard rename(temporary, path) == 0 else { throw FileFault("write", path, errno) }
    }

    /// Removes what killed processes left: temporary files not written to for an hour.
    package func removeAbandoned() {
        let now = time(nil)
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        for found in names where found.hasPrefix(name + ".") {
            // With or without a suffix of SQLite.
            guard found.dropFirst(name.count + 1).starts(with: /[0-9a-f]{16}\.tmp/) else { continue }
            let temporary = folder.isEmpty ? found : folder + "/" + found
            var status = stat()
            guard lstat(temporary, &status) == 0, status.st_mtim.tv_sec < now - Self.abandonedAfter else { continue }
            unlink(temporary)
        }
    }
}

/// A file operation that failed, with the system's error.
package struct FileFault: Error, CustomStringConvertible {
    package let operation: String
    package let path: String
    package let code: CInt

    package init(_ operation: String, _ path: String, _ code: CInt) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    package var description: String { "\(operation) \(path): \(cause)" }

    var cause: String { String(cString: strerror(code)).lowercased() }
}
