import Markets

/// A position in a file: line and column from 1, columns in Unicode scalars.
struct FilePosition: Hashable, Sendable {
    var file: String
    var line: Int
    var column: Int
}

/// An error or a warning: `FILE:LINE:COLUMN: key.path: what is wrong`.
struct ConfigurationFault: Error, Hashable, Sendable, CustomStringConvertible {
    var position: FilePosition
    /// Such as `alerts[2].for`; nil for the file as a whole.
    var keyPath: String?
    /// Never contains a secret.
    var message: String

    var description: String {
        let place = "\(position.file):\(position.line):\(position.column)".printable
        return keyPath.map { "\(place): \($0): \(message)" } ?? "\(place): \(message)"
    }
}

/// Why the configuration cannot be used. Exit code 78.
enum ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file exists or was named, and cannot be read. `reason` is such as `permission denied`.
    case unreadable(file: String, reason: String)
    /// All faults, in the file's order; never empty.
    case faults([ConfigurationFault])

    /// One line per fault.
    var description: String {
        switch self {
        case .unreadable(let file, let reason): "read the configuration \(file.printable): \(reason)"
        case .faults(let faults): faults.map(\.description).joined(separator: "\n")
        }
    }
}

extension String {
    /// Without control characters.
    var printable: String { SafeText.printable(self) }

    /// In quotation marks, cut at 60 scalars.
    var quoted: String { "\"\(SafeText.printable(self, atMost: 61))\"" }
}
