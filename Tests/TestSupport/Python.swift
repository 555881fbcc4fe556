import Foundation

/// Python, as a second opinion.
package enum Python {
    /// Whether it has zoneinfo, and the data for it.
    package static let hasZones = hasRun("import zoneinfo; zoneinfo.ZoneInfo('Europe/Berlin')")

    package static func hasRun(_ program: String) -> Bool { (try? run(["-c", program]).code) == 0 }

    /// - Parameter input: what it reads; nil: as this process does.
    package static func run(_ arguments: [String], input: String? = nil) throws -> (code: Int32, output: String) {
        let process = Process()
        // A file: writing a long text into a pipe would wait for the program, which waits for its output to be read.
        let folder = try TemporaryFolder()
        if let input {
            process.standardInput = FileHandle(forReadingAtPath: folder.write(input, as: "input"))
        }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// The path of a script of `Tests/Independent`.
    package static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).appendingPathComponent("../../Independent/" + name).standardizedFileURL.path
    }

    /// The rows that `zones.py` prints, in fields.
    package static func zones(_ arguments: [String]) throws -> [[Substring]] {
        let (code, output) = try run([script("zones.py")] + arguments)
        guard code == 0 else { throw Failed(output: String(output.suffix(500))) }
        return output.split(separator: "\n").map { $0.split(separator: "\t") }
    }

    private struct Failed: Error { var output: String }
}
