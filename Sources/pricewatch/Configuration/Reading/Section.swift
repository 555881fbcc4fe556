/// One mapping of the file while it is read: hands out the values of the keys it is asked for, and says at the end
/// which keys nobody asked for.
///
/// What is wrong goes to the report, and the caller gets nil and goes on with its default: one fault must not hide
/// the next.
final class Section {
    /// As messages name it (`alerts[2]`); empty at the root.
    let path: String
    /// As tables name it (`alerts[]`).
    private let schema: String
    private let position: FilePosition
    private let pairs: [YAMLPair]
    private let source: ValueSource
    private let report: FaultReport
    private var values: Set<String> = []
    private var sections: Set<String> = []
    private var found: [String: Found?] = [:]

    init(
        _ pairs: [YAMLPair], path: String, schema: String = "", at position: FilePosition, source: ValueSource,
        report: FaultReport
    ) {
        self.pairs = pairs
        self.path = path
        self.schema = schema
        self.position = position
        self.source = source
        self.report = report
    }

    /// A key with its value, wherever that stands.
    private struct Found {
        /// With `_file` or `_env` where it was given so.
        var path: String
        var keyPosition: FilePosition
        var value: YAMLValue
        /// Why the value could not be had; `optional` where a secret may be missing.
        var failure: (reason: String, optional: Bool)?

        /// Scalars are pointed at; lists and mappings begin a line below their key.
        var position: FilePosition {
            if case .text = value.content { value.position } else { keyPosition }
        }
    }

    // MARK: Asking without reading

    /// The keys as they stand in the file.
    var names: [String] { pairs.map(\.key) }

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

    // MARK: Reading values

    /// nil where the key is absent, null or wrong.
    func value<Value>(_ key: String, _ scalar: Scalar<Value>) -> Value? {
        guard let found = usable(key), !found.value.isNull else { return nil }
        return read(found, scalar)
    }

    /// nil where the key is null; `fallback` where it is absent or wrong.
    func optional<Value>(_ key: String, _ scalar: Scalar<Value>, default fallback: Value?) -> Value? {
        guard let found = usable(key) else { return fallback }
        if found.value.isNull { return nil }
        return read(found, scalar) ?? fallback
    }

    /// Ids and names: `null` is one, too.
    func asWritten<Value>(_ key: String, _ scalar: Scalar<Value>) -> Value? {
        usable(key).flatMap { read($0, scalar) }
    }

    /// nil where the key is absent, null or wrong. Empty where it is out of reach and may be.
    func secret(_ key: String) -> Configuration.Secret? {
        guard let found = find(key), !found.value.isNull || found.failure != nil else { return nil }
        if let failure = found.failure {
            guard failure.optional, source.secrets == .spared else {
                report.fault(found.position, found.path, failure.reason)
                return nil
            }
            return Configuration.Secret(revealed: "", origin: found.value.origin)
        }
        guard case .text(let text, _) = found.value.content else {
            report.fault(found.position, found.path, "expected a text, found \(found.value.kind)")
            return nil
        }
        if let objection = Configuration.Secret.objection(to: text) {
            report.fault(found.position, found.path, "the value \(objection)")
            return nil
        }
        return Configuration.Secret(revealed: text, origin: found.value.origin)
    }

    func secretURL(_ key: String, _ rule: URLRule) -> Configuration.Secret? {
        guard let secret = secret(key), let found = find(key) else { return nil }
        if !secret.revealed.isEmpty, let objection = rule.objection(to: secret.revealed) {
            report.fault(found.position, found.path, "the URL \(objection)")
            return nil
        }
        return secret
    }

    // MARK: Reading lists and mappings

    /// The items of a list; empty where the key is absent, null or no list.
    func items(_ key: String, expected: String = "a list") -> [Item] {
        guard var found = usable(key), !found.value.isNull else { return [] }
        found.value = parsed(found) ?? found.value
        guard case .list(let values) = found.value.content else {
            report.fault(found.position, found.path, "expected \(expected), found \(found.value.kind)")
            return []
        }
        return values.enumerated().map { index, value in
            Item(
                value, path: "\(inner(key))[\(index)]", schema: "\(innerSchema(key))[]", at: value.position,
                source: source, report: report)
        }
    }

    /// A list of texts, each as written.
    func strings(_ key: String) -> [String]? {
        guard holds(key) else {
            ignore(key)
            return nil
        }
        let items = items(key, expected: "a list of texts")
        let texts = items.compactMap { $0.value(.text(upTo: 4096)) }
        return texts.count == items.count ? texts : nil
    }

    /// A list of exactly two.
    func pair<Value>(_ key: String, _ scalar: Scalar<Value>) -> (Value, Value)? {
        guard holds(key) else {
            ignore(key)
            return nil
        }
        let items = items(key, expected: "a list of two")
        guard items.count == 2 else {
            if let found = find(key), case .list = found.value.content {
                report.fault(found.position, found.path, "expected a list of two, found \(items.count)")
            }
            return nil
        }
        guard let first = items[0].value(scalar), let second = items[1].value(scalar) else { return nil }
        return (first, second)
    }

    /// A mapping; nil where the key is absent, null or something else.
    func section(_ key: String) -> Section? {
        sections.insert(key)
        guard let pair = pairs.first(where: { $0.key == key }), !pair.value.isNull else { return nil }
        announce(key, pair.value, at: pair.position)
        return item(pair, key).section()
    }

    /// Every key, as a name that the owner chose.
    func children() -> [(name: String, item: Item)] {
        pairs.map { pair in
            announce("*", pair.value, at: pair.position, path: inner(pair.key))
            return (pair.key, item(pair, "*"))
        }
    }

    private func item(_ pair: YAMLPair, _ key: String) -> Item {
        Item(
            pair.value, path: inner(pair.key), schema: innerSchema(key), at: pair.position, source: source,
            report: report)
    }

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
        let known = values.flatMap { [$0, $0 + "_file", $0 + "_env"] } + sections
        for pair in pairs where !known.contains(pair.key) {
            let suggestion = DidYouMean.key(pair.key, in: path, values: values, sections: sections)
            let hint = suggestion.map { "; did you mean \($0)?" } ?? ""
            report.fault(pair.position, inner(pair.key.printable), "unknown key" + hint)
        }
    }

    // MARK: Finding

    private func inner(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
    private func innerSchema(_ key: String) -> String { schema.isEmpty ? key : "\(schema).\(key)" }

    /// What the key says and can be had; a fault where it cannot.
    private func usable(_ key: String) -> Found? {
        guard let found = find(key) else { return nil }
        if let failure = found.failure {
            report.fault(found.position, found.path, failure.reason)
            return nil
        }
        return found
    }

    private func find(_ key: String) -> Found? {
        values.insert(key)
        if let known = found[key] { return known }
        let result = search(key)
        found[key] = .some(result)
        if let result { announce(key, result.value, at: result.keyPosition, path: result.path) }
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
            found.failure = ("expected \(expected), found \(pair.value.kind)", false)
            return found
        }
        switch pair.key.hasSuffix("_env") ? source.variable(name) : source.contents(of: name) {
        case .text(let text, let origin):
            found.value.content = .text(text, plain: false)
            found.value.origin = origin
        case .beyondReach(let reason, let origin):
            found.value.origin = origin
            found.failure = (reason, true)
        case .refused(let reason):
            found.failure = (reason, false)
        }
        return found
    }

    private func read<Value>(_ found: Found, _ scalar: Scalar<Value>) -> Value? {
        scalar.read(found.value, at: found.position, path: found.path, source: source, report: report)
    }

    /// A list or mapping that was given as a file or variable: its text is YAML.
    private func parsed(_ found: Found) -> YAMLValue? {
        guard case .text(let text, _) = found.value.content else { return nil }
        let name: String
        switch found.value.origin {
        case .inline: return nil
        case .file(let path): name = path
        case .environment(let variable): name = "$" + variable
        }
        do {
            return try YAMLDocument.read(text, file: name, faults: &report.faults)
        } catch {
            report.faults.append(error)
            return YAMLValue(position: found.position, content: .list([]))
        }
    }

    /// Tells where this release does not act on what the key asks for.
    private func announce(_ key: String, _ value: YAMLValue, at position: FilePosition, path: String? = nil) {
        guard !value.asksForNothing else { return }
        let schema = innerSchema(key)
        var entry = NotYetBuilt.entry(schema)
        if entry == nil, case .text(let text, _) = value.content { entry = NotYetBuilt.entry("\(schema)=\(text)") }
        guard let entry else { return }
        let message = "this release does not act on it yet: \(entry.meaning)"
        switch entry.weight {
        case .fault: report.fault(position, path ?? inner(key), message + "; leave it out")
        case .warning: report.warn(position, path ?? inner(key), message)
        }
    }
}

extension YAMLValue {
    /// Null, false or an empty list.
    fileprivate var asksForNothing: Bool {
        switch content {
        case .text(let text, let plain): isNull || (plain && text == "false")
        case .list(let items): items.isEmpty
        case .mapping: false
        }
    }
}
