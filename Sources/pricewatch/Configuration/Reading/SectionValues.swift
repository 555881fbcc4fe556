/// Reads values, secrets, lists and mappings.
extension Section {
    // MARK: Reading values

    /// nil if the key is absent, null or invalid.
    func value<Value>(_ key: String, _ scalar: Scalar<Value>) -> Value? {
        guard let found = usable(key), !found.value.isNull else { return nil }
        return read(found, scalar)
    }

    /// nil if the key is null; `fallback` if it is absent or invalid.
    func optional<Value>(_ key: String, _ scalar: Scalar<Value>, default fallback: Value?) -> Value? {
        guard let found = usable(key) else { return fallback }
        if found.value.isNull { return nil }
        return read(found, scalar) ?? fallback
    }

    /// For ids and names: `null` is a valid text.
    func asWritten<Value>(_ key: String, _ scalar: Scalar<Value>) -> Value? {
        usable(key).flatMap { read($0, scalar) }
    }

    /// nil if the key is absent, null or invalid. Empty if it cannot be read and is not needed.
    func secret(_ key: String) -> Configuration.Secret? {
        guard let found = find(key), !found.value.isNull || found.failure != nil else { return nil }
        if let failure = found.failure {
            guard source.secrets == .spared else {
                report.fault(found.position, found.path, failure)
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

    /// The items of a list; empty if the key is absent, null or not a list.
    func items(_ key: String, expected: String = "a list") -> [Item] {
        guard var found = usable(key), !found.value.isNull else { return [] }
        found.value = parsed(found) ?? found.value
        guard case .list(let values) = found.value.content else {
            report.fault(found.position, found.path, "expected \(expected), found \(found.value.kind)")
            return []
        }
        return values.enumerated().map { index, value in
            Item(
                value, path: "\(inner(key))[\(index)]", at: value.position,
                source: source, report: report)
        }
    }

    /// A list of texts, unchanged.
    func strings(_ key: String) -> [String]? {
        guard holds(key) else {
            ignore(key)
            return nil
        }
        let items = items(key, expected: "a list of texts")
        let texts = items.compactMap { $0.value(.text(upTo: 4096)) }
        return texts.count == items.count ? texts : nil
    }

    /// A list of exactly two items.
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

    /// A mapping; nil if the key is absent, null or something else.
    func section(_ key: String) -> Section? {
        sections.insert(key)
        guard let pair = pairs.first(where: { $0.key == key }), !pair.value.isNull else { return nil }
        return item(pair).section()
    }

    /// All entries, for mappings whose keys are names chosen by the user.
    func children() -> [(name: String, item: Item)] {
        pairs.map { ($0.key, item($0)) }
    }

    private func item(_ pair: YAMLPair) -> Item {
        Item(pair.value, path: inner(pair.key), at: pair.position, source: source, report: report)
    }

    private func read<Value>(_ found: Found, _ scalar: Scalar<Value>) -> Value? {
        scalar.read(found.value, at: found.position, path: found.path, source: source, report: report)
    }

    /// Parses a list or mapping that was given by file or variable as YAML.
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
}
