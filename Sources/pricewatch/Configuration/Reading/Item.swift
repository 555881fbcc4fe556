/// One entry of a list, or one value under a name that the owner chose.
struct Item {
    private let content: YAMLValue
    private let path: String
    private let position: FilePosition
    private let source: ValueSource
    private let report: FaultReport

    init(_ content: YAMLValue, path: String, at position: FilePosition, source: ValueSource, report: FaultReport) {
        self.content = content
        self.path = path
        self.position = position
        self.source = source
        self.report = report
    }

    var isMapping: Bool {
        if case .mapping = content.content { true } else { false }
    }

    /// As written: `null` is a text, too.
    func value<Value>(_ scalar: Scalar<Value>) -> Value? {
        scalar.read(content, at: position, path: path, source: source, report: report)
    }

    func section() -> Section? {
        guard case .mapping(let pairs) = content.content else {
            fault("expected a mapping, found \(content.kind)")
            return nil
        }
        return Section(pairs, path: path, at: position, source: source, report: report)
    }

    func fault(_ message: String) { report.fault(position, path, message) }
    func warn(_ message: String) { report.warn(position, path, message) }
}
