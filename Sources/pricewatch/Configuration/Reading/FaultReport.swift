/// Collects what is wrong while reading goes on, so that all of it is told at once.
final class FaultReport {
    var faults: [ConfigurationFault] = []
    private var warnings: [ConfigurationFault] = []
    /// The configuration itself; what stands in files it names comes after it.
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
        // Swift's sort is stable in practice but not by promise; the index makes it so.
        return remarks.enumerated()
            .sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
    }
}

private func < (left: ((Int, String, Int, Int), Int), right: ((Int, String, Int, Int), Int)) -> Bool {
    left.0 == right.0 ? left.1 < right.1 : left.0 < right.0
}
