/// One mapping of the file while it is read: hands out the values of the keys it is asked for, and says at the end
/// which keys nobody asked for.
///
/// What is wrong goes to the report, and the caller gets nil and goes on with its default: one fault must not hide
/// the next.
final class Section {
    /// As messages name it (`alerts[2]`); empty at the root.
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

    /// A key with its value, wherever that stands.
    struct Found {
        /// With `_file` or `_env` where it was given so.
        var path: String
        var keyPosition: FilePosition
        var value: YAMLValue
        /// Why the value could not be had.
        var failure: String?

        /// Scalars are pointed at; lists and mappings begin a line below their key.
        var position: FilePosition {
            if case .text = value.content { value.position } else { keyPosition }
        }
    }

    // MARK: Asking without reading

    /// The keys as they stand in the file.
    var names: [String] { pairs.map(\.key) }

    /// Whether the key is there, be it with nothing behind it.
    func mentions(_ key: String) -> Bool { holds(key) || isNull(key) }

    /// Whether the key is there and says something.
    func holds(_ key: String) -> Bool {
        pairs.contains { ($0.key == key && !$0.value.isNull) || $0.key == key + "_file" || $0.key == key + "_env" }
    }

    /// Whether the key is there and says nothing: `digest: null`.
    func isNull(_ key: String) -> Bool { pairs.contains { $0.key == key && $0.value.isNull } }

    func isEmptyList(_ key: String) -> Bool {
        guard case .list(let items)? = find(key)?.value.content else { return false }
        return items.isEmpty
    }

    /// The value as text, without a fault where it is something else.
    func text(_ key: String) -> String? {
        guard case .text(let text, _)? = find(key)?.value.content else { return nil }
        return text
    }

    /// Known here, but not of interest.
    func ignore(_ key: String) { values.insert(key) }

    // MARK: Faults

    /// About the section as a whole.
    func fault(_ message: String) { report.fault(position, path.isEmpty ? nil : path, message) }

    /// About the value of a key that is there.
    func fault(at key: String, _ message: String) {
        guard let found = find(key) else {
            let pair = pairs.first { $0.key == key }
            return report.fault(pair?.position ?? position, inner(key), message)
        }
        report.fault(found.position, found.path, message)
    }

    var isSound: Bool { report.faults.isEmpty }

    /// To be called when every key was asked for.
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

    /// What the key says and can be had; a fault where it cannot.
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
