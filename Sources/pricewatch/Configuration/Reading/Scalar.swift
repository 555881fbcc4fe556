/// How to parse the text of a value, and the message if that fails.
struct Scalar<Value> {
    /// Completes "expected …, found …".
    let expected: String
    /// Returns nil for a text of another kind. Throws if the kind is right but the value is not allowed.
    let parse: (_ text: String, _ source: ValueSource) throws(Unfit) -> Value?

    /// `reason` is a complete message, and never contains a text that may be secret.
    struct Unfit: Error {
        let reason: String
    }

    init(_ expected: String, _ parse: @escaping (_ text: String, _ source: ValueSource) throws(Unfit) -> Value?) {
        self.expected = expected
        self.parse = parse
    }

    func read(
        _ value: YAMLValue, at position: FilePosition, path: String, source: ValueSource, report: FaultReport
    ) -> Value? {
        guard case .text(let text, _) = value.content else {
            report.fault(position, path, "expected \(expected), found \(value.kind)")
            return nil
        }
        do {
            if let value = try parse(text, source) { return value }
            report.fault(position, path, "expected \(expected), found \(value.shown)")
        } catch {
            report.fault(position, path, error.reason)
        }
        return nil
    }
}

/// One item of a list, or one entry of a mapping.
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

    /// The value as written: `null` is a valid text.
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
