import Foundation

/// What this process holds in memory, from the kernel's books.
enum ResidentMemory {
    /// Highest so far, in MiB.
    static func peak() throws -> Int { try value(of: "VmHWM:") }

    /// Begins the peak anew at what is held now.
    static func resetPeak() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    private static func value(of name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }
}
