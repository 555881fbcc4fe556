/// How the text of a value is read, and what to say where it cannot be.
struct Scalar<Value> {
    /// Completes "expected …, found …".
    let expected: String
    /// nil: not of this kind. Throws where it is, and yet will not do.
    let parse: (_ text: String, _ source: ValueSource) throws(Unfit) -> Value?

    /// `reason` stands alone and never repeats a text that may be secret.
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
