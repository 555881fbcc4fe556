import Foundation

/// A folder of a test's own, gone with it.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "pricewatch-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package var database: String { path + "/history.db" }

    package func text(_ name: String) -> String {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    package func write(_ text: String, as name: String) -> String {
        let file = path + "/" + name
        let written = FileManager.default.createFile(atPath: file, contents: Data(text.utf8))
        precondition(written, "\(file) cannot be written")
        return file
    }
}
