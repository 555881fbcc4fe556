import Foundation
import Glibc

/// A small file that is replaced as a whole: a reader sees the old content or the new, never a part.
struct AtomicFile: Sendable {
    let path: String

    /// Writes `bytes` under a name of its own beside the file, readable for all, and renames it.
    func replace(with bytes: [UInt8]) throws(FileFault) {
        let draft = "\(path).\(getpid()).tmp"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFault("write", path, errno) }
        fchmod(descriptor, 0o644)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else {
                let code = errno
                if code == EINTR { continue }
                close(descriptor)
                unlink(draft)
                throw FileFault("write", path, code)
            }
            written += count
        }
        close(descriptor)
        guard rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            throw FileFault("write", path, code)
        }
    }

    func makeFolder() throws(FileFault) {
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw FileFault("make the folder", folder, errno)
        }
    }
}

/// A file operation that the system refused.
struct FileFault: Error, CustomStringConvertible {
    let operation: String
    let path: String
    let code: CInt

    init(_ operation: String, _ path: String, _ code: CInt) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    var description: String { "\(operation) \(path): \(String(cString: strerror(code)).lowercased())" }
}
