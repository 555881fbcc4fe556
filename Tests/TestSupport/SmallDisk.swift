import Foundation
import Glibc

/// A small disk of its own, to be filled or closed; only root can mount it.
package final class SmallDisk: Sendable {
    package let path: String
    private let folder: TemporaryFolder

    /// Nil where it cannot be mounted, which is said.
    package init?(bytes: Int = 2 << 20) throws {
        folder = try TemporaryFolder()
        path = folder.path + "/disk"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard geteuid() == 0, mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else {
            print("skipped: only root can mount the small disk that this test needs")
            return nil
        }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    package var database: String { path + "/history.db" }

    package func fill() {
        let descriptor = open(path + "/ballast", O_WRONLY | O_CREAT, 0o644)
        let piece = [UInt8](repeating: 7, count: 4096)
        while write(descriptor, piece, piece.count) > 0 {}
        close(descriptor)
    }

    package func empty() throws { try FileManager.default.removeItem(atPath: path + "/ballast") }

    package func remount(readOnly: Bool) -> Bool {
        mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0), nil) == 0
    }
}
