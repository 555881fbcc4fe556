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
enum ConfigurationError: Error, Hashable, Sendable {
    /// The file exists or was named, and cannot be read. `reason` is such as `permission denied`; `closed` is true for
    /// that one.
    case unreadable(file: String, reason: String, closed: Bool)
    /// All faults, in the file's order; never empty.
    case faults([ConfigurationFault])
}

extension ConfigurationError: CustomStringConvertible {
    /// One line per fault.
    var description: String {
        switch self {
        case .unreadable(let file, let reason, _): "read the configuration \(file.printable): \(reason)"
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

/// Collects faults and warnings while reading continues, so that all are reported together.
final class FaultReport {
    var faults: [ConfigurationFault] = []
    private var warnings: [ConfigurationFault] = []
    /// The configuration; faults in files that it names are sorted after its own.
    private let file: String

    init(file: String) { self.file = file }

    func fault(_ position: FilePosition, _ path: String?, _ message: String) {
        faults.append(ConfigurationFault(position: position, keyPath: path, message: message))
    }

    func warn(_ position: FilePosition, _ path: String?, _ message: String) {
        warnings.append(ConfigurationFault(position: position, keyPath: path, message: message))
    }

    var faultsInOrder: [ConfigurationFault] { inOrder(faults) }
    var warningsInOrder: [ConfigurationFault] { inOrder(warnings) }

    private func inOrder(_ remarks: [ConfigurationFault]) -> [ConfigurationFault] {
        func rank(_ remark: ConfigurationFault) -> (Int, String, Int, Int) {
            let position = remark.position
            return (position.file == file ? 0 : 1, position.file, position.line, position.column)
        }
        // The index makes the sort stable, which Swift's documentation does not guarantee.
        return remarks.enumerated()
            .sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
    }
}

private func < (left: ((Int, String, Int, Int), Int), right: ((Int, String, Int, Int), Int)) -> Bool {
    left.0 == right.0 ? left.1 < right.1 : left.0 < right.0
}
