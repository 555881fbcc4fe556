/// One mapping of the file while it is read: returns the values of requested keys, and reports the unknown keys at the
/// end.
///
/// Faults go to the report, and the caller gets nil and continues with its default, so that one fault does not hide the
/// next.
final class Section {
    /// The path in messages (`alerts[2]`); empty at the root.
    let path: String
    let position: FilePosition
    let pairs: [YAMLPair]
    let source: ValueSource
    let report: FaultReport
    var values: Set<String> = []
    var sections: Set<String> = []
    private var found: [String: Found?] = [:]

    init(_ pairs: [YAMLPair], path: String, at position: FilePosition, source: ValueSource, report: FaultReport) {
        self.pairs = pairs
        self.path = path
        self.position = position
        self.source = source
        self.report = report
    }

    /// A key with its value, from the configuration, a file or a variable.
    struct Found {
        /// The key's path, with `_file` or `_env` if it was given so.
        var path: String
        var keyPosition: FilePosition
        var value: YAMLValue
        /// Why the value could not be read; nil if it was.
        var failure: String?

        /// The position of a scalar's value, or of the key of a list or mapping, which begins a line below it.
        var position: FilePosition {
            if case .text = value.content { value.position } else { keyPosition }
        }
    }

    // MARK: Asking without reading

    /// The keys as written in the file.
    var names: [String] { pairs.map(\.key) }

    /// Whether the key is present, even without a value.
    func mentions(_ key: String) -> Bool { holds(key) || isNull(key) }

    /// Whether the key is present with a value.
    func holds(_ key: String) -> Bool {
        pairs.contains { ($0.key == key && !$0.value.isNull) || $0.key == key + "_file" || $0.key == key + "_env" }
    }

    /// Whether the key is present without a value: `digest: null`.
    func isNull(_ key: String) -> Bool { pairs.contains { $0.key == key && $0.value.isNull } }

    func isEmptyList(_ key: String) -> Bool {
        guard case .list(let items)? = find(key)?.value.content else { return false }
        return items.isEmpty
    }

    /// The value as text; nil without a fault if it is not a text.
    func text(_ key: String) -> String? {
        guard case .text(let text, _)? = find(key)?.value.content else { return nil }
        return text
    }

    /// Marks the key as known without reading it.
    func ignore(_ key: String) { values.insert(key) }

    // MARK: Faults

    /// Reports a fault of the section as a whole.
    func fault(_ message: String) { report.fault(position, path.isEmpty ? nil : path, message) }

    /// Reports a fault of a key's value.
    func fault(at key: String, _ message: String) {
        guard let found = find(key) else {
            let pair = pairs.first { $0.key == key }
            return report.fault(pair?.position ?? position, inner(key), message)
        }
        report.fault(found.position, found.path, message)
    }

    var isSound: Bool { report.faults.isEmpty }

    /// Reports unknown keys; called after all keys have been read.
    func finish() {
        let known = Set(values.flatMap { [$0, $0 + "_file", $0 + "_env"] } + sections)
        for pair in pairs where !known.contains(pair.key) {
            let suggestion = DidYouMean.key(pair.key, in: path, values: values, sections: sections)
            let hint = suggestion.map { "; did you mean \($0)?" } ?? ""
            report.fault(pair.position, inner(pair.key.printable), "unknown key" + hint)
        }
    }

    // MARK: Finding

    func inner(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// The key's value if it could be read; nil, with a fault if the key is present, otherwise.
    func usable(_ key: String) -> Found? {
        guard let found = find(key) else { return nil }
        if let failure = found.failure {
            report.fault(found.position, found.path, failure)
            return nil
        }
        return found
    }

    func find(_ key: String) -> Found? {
        values.insert(key)
        if let known = found[key] { return known }
        let result = search(key)
        found[key] = .some(result)
        return result
    }

    private func search(_ key: String) -> Found? {
        let forms = pairs.filter { $0.key == key || $0.key == key + "_file" || $0.key == key + "_env" }
        guard let pair = forms.first else { return nil }
        for extra in forms.dropFirst() {
            report.fault(extra.position, inner(extra.key), "given twice: \(pair.key) says it already; keep one")
        }
        var found = Found(path: inner(pair.key), keyPosition: pair.position, value: pair.value)
        guard pair.key != key else { return found }
        guard case .text(let name, _) = pair.value.content, !pair.value.isNull else {
            let expected = pair.key.hasSuffix("_env") ? "the name of an environment variable" : "a path"
            found.failure = "expected \(expected), found \(pair.value.kind)"
            return found
        }
        switch pair.key.hasSuffix("_env") ? source.variable(name) : source.contents(of: name) {
        case .text(let text, let origin):
            found.value.content = .text(text, plain: false)
            found.value.origin = origin
        case .refused(let reason, let origin):
            found.value.origin = origin
            found.failure = reason
        }
        return found
    }
}
