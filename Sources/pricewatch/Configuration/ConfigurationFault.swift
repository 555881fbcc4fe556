import Markets

/// Where something stands in a file: both count from 1, columns in Unicode scalars.
struct FilePosition: Hashable, Sendable {
    var file: String
    var line: Int
    var column: Int
}

/// One thing that is wrong, or a warning: `FILE:LINE:COLUMN: key.path: what is wrong`.
struct ConfigurationFault: Error, Hashable, Sendable, CustomStringConvertible {
    var position: FilePosition
    /// Such as `alerts[2].for`; nil where the file as a whole is meant.
    var keyPath: String?
    /// Never holds a secret.
    var message: String

    var description: String {
        let place = "\(position.file):\(position.line):\(position.column)".printable
        return keyPath.map { "\(place): \($0): \(message)" } ?? "\(place): \(message)"
    }
}

/// Why there is no configuration. Exit code 78, whichever it is.
enum ConfigurationError: Error, Hashable, Sendable {
    /// A file that is there, or that was named, cannot be read; `reason` such as `permission denied`,
    /// `closed` where it is that.
    case unreadable(file: String, reason: String, closed: Bool)
    /// All that is wrong with it, in the file's order; never empty.
    case faults([ConfigurationFault])
}

extension ConfigurationError: CustomStringConvertible {
    /// A line for each fault.
    var description: String {
        switch self {
        case .unreadable(let file, let reason, _): "read the configuration \(file.printable): \(reason)"
        case .faults(let faults): faults.map(\.description).joined(separator: "\n")
        }
    }
}

extension String {
    /// Without anything that could move a cursor or end a line.
    var printable: String { SafeText.printable(self) }

    /// In quotation marks, cut at 60 scalars.
    var quoted: String { "\"\(SafeText.printable(self, atMost: 61))\"" }
}
