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

    /// Writes a program. Another process writes it: if this one had it open for writing, a child that another test
    /// starts at that moment would inherit it, and the system would not run the program ("text file busy").
    package func write(program text: String, as name: String, mode: Int = 0o755) throws -> String {
        let file = path + "/" + name
        let shell = try Process.run(
            URL(fileURLWithPath: "/bin/sh"),
            arguments: ["-c", "printf %s \"$1\" >\"$2\" && chmod $3 \"$2\"", "sh", text, file, String(mode, radix: 8)])
        shell.waitUntilExit()
        precondition(shell.terminationStatus == 0, "\(file) cannot be written")
        return file
    }
}
