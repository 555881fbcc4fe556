import Foundation
import HTTP
import Markets

/// A value with its path in messages, such as `alerts[2].for`.
///
/// Faults go to the context, and the caller gets nil and continues with its default, so that one fault does not hide
/// the next.
struct Item {
    let value: YAMLValue
    let path: String
    let position: FilePosition
    let context: ReadingContext

    /// The value as written: `null` is a valid text.
    func read<Value>(_ scalar: Scalar<Value>) -> Value? {
        guard let text = value.text else {
            fault("expected \(scalar.expected), found \(value.kind)")
            return nil
        }
        do throws(Unfit) {
            if let read = try scalar.parse(text) {
                let isNumber = read is Price || read is Decimal
                if isNumber, value.origin == nil, let hint = Hint.thousands(text, read: "\(read)") { warn(hint) }
                return read
            }
            fault("expected \(scalar.expected), found \(value.shown)\(Hint.number(value))")
        } catch {
            fault(error.reason)
        }
        return nil
    }

    /// nil, with a fault, if it is not a list.
    ///
    /// - Parameter hint: What to write in place of a value that is not in a list.
    func items(expected: String = "a list", hint: (YAMLValue) -> String = { _ in "" }) -> [Item]? {
        let opened = opened
        guard let items = opened?.items else {
            if let opened {
                let hint = value.origin == nil ? hint(opened) : ""
                fault("expected \(expected), found \(opened.kind)\(hint)")
            }
            return nil
        }
        let key = value.origin == nil ? path : String(path.dropLast(path.hasSuffix("_env") ? 4 : 5))
        return items.enumerated().map { index, value in
            Item(value: value, path: "\(key)[\(index)]", position: value.position, context: context)
        }
    }

    /// Reads a mapping and reports the keys that `read` did not ask for; nil, with a fault, if it is not a mapping.
    func section<Value>(_ read: (Section) -> Value?) -> Value? {
        let opened = opened
        guard let pairs = opened?.pairs(context) else {
            if let opened { fault("expected a mapping, found \(opened.kind)") }
            return nil
        }
        let section = Section(pairs, path: path, at: position, context)
        defer { section.finish() }
        return read(section)
    }

    /// The value itself, or the YAML in the file or variable that the key refers to; nil, with a fault, if that is
    /// none.
    private var opened: YAMLValue? {
        guard let text = value.text, let origin = value.origin else { return value }
        do {
            return try YAMLValue.parse(text, file: origin) ?? value
        } catch {
            context.faults.append(error)
            return nil
        }
    }

    func fault(_ message: String) { context.fault(position, path, message) }
    func warn(_ message: String) { context.warn(position, path, message) }
}

/// One mapping while it is read: returns the values of requested keys, and reports the unknown keys at the end.
///
/// Each value may also be given as `KEY_file: PATH` or `KEY_env: NAME`.
final class Section {
    /// The path in messages (`alerts[2]`); empty at the root.
    let path: String
    let position: FilePosition
    let pairs: [YAMLPair]
    let context: ReadingContext
    /// The keys that were asked for; those of sections have no `_file` and `_env`.
    private var known: Set<String> = []
    private var sections: Set<String> = []
    private var hasAnyKey = false

    init(_ pairs: [YAMLPair], path: String, at position: FilePosition, _ context: ReadingContext) {
        self.pairs = pairs
        self.path = path
        self.position = position
        self.context = context
    }

    // MARK: Values

    /// Changes `target` unless the key is absent, null or invalid.
    func read<Value>(_ key: String, into target: inout Value, _ scalar: Scalar<Value>) {
        if let value = value(key, scalar) { target = value }
    }

    /// Changes `target`, with null to nil, unless the key is absent or invalid.
    func read<Value>(_ key: String, into target: inout Value?, _ scalar: Scalar<Value>) {
        guard let item = item(key) else { return }
        if item.value.isNull { target = nil } else if let value = item.read(scalar) { target = value }
    }

    /// nil if the key is absent, null or invalid.
    func value<Value>(_ key: String, _ scalar: Scalar<Value>) -> Value? { present(key)?.read(scalar) }

    /// nil if the key is absent, null or not a list.
    func items(
        _ key: String, expected: String = "a list", hint: (YAMLValue) -> String = { _ in "" }
    ) -> [Item]? {
        present(key)?.items(expected: expected, hint: hint)
    }

    /// A list of scalars; nil if the key is absent, null or not a list.
    func list<Value>(_ key: String, _ scalar: Scalar<Value>, expected: String = "a list") -> [Value]? {
        items(key, expected: expected, hint: Hint.list)?.compactMap { $0.read(scalar) }
    }

    /// A scalar, or a list of them; nil if the key is absent, null, or a mapping.
    func oneOrMore<Value>(_ key: String, _ scalar: Scalar<Value>) -> [Value]? {
        guard let item = present(key) else { return nil }
        guard item.value.text == nil else { return item.read(scalar).map { [$0] } }
        return item.items(expected: "\(scalar.expected), or a list")?.compactMap { $0.read(scalar) }
    }

    /// nil if the key is absent, null or not a mapping. A section is always written in the configuration itself.
    @discardableResult
    func section<Value>(_ key: String, _ read: (Section) -> Value?) -> Value? {
        sections.insert(key)
        guard let pair = pairs.first(where: { $0.key == key }), !pair.value.isNull else { return nil }
        return Item(value: pair.value, path: inner(key), position: pair.position, context: context).section(read)
    }

    /// nil if the key is absent, null or invalid. Empty if it cannot be read and is not needed.
    func secret(_ key: String, _ format: Scalar<String>? = nil) -> Secret? {
        if let pair = pair(key), context.sparesSecrets, (try? context.resolved(pair, key)) == nil { return Secret("") }
        guard let item = present(key), let text = item.read(.secret) else { return nil }
        if let format, item.read(format) == nil { return nil }
        return Secret(text, file: item.value.origin.flatMap { $0.hasPrefix("$") ? nil : $0 })
    }

    /// The headers of requests, for a mapping of their names; the values are secrets. A name that HTTP does not allow is
    /// a fault.
    func headers() -> [(name: String, value: Secret)] {
        var names: [String] = []
        for key in pairs.map(\.key) {
            let suffix = ["_file", "_env"].first(where: key.hasSuffix) ?? ""
            let name = String(key.dropLast(suffix.count))
            if !names.contains(name) { names.append(name) }
        }
        return names.compactMap { name in
            // RFC 9110, 5.6.2.
            if name.wholeMatch(of: /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/) == nil {
                fault(at: name, "is no name of an HTTP header")
            }
            return secret(name).map { (name, $0) }
        }
    }

    /// The value of the key, null too; nil if it is absent, and, with a fault, if its file or variable cannot be read.
    func item(_ key: String) -> Item? {
        guard let pair = pair(key) else { return nil }
        do throws(Unfit) {
            let value = try context.resolved(pair, key)
            return Item(value: value, path: inner(pair.key), position: pair.valuePosition, context: context)
        } catch {
            context.fault(pair.valuePosition, inner(pair.key), error.reason)
            return nil
        }
    }

    /// All entries, for a mapping whose keys are names that the user chooses.
    func entries() -> [(name: String, item: Item)] {
        hasAnyKey = true
        return pairs.map { pair in
            (pair.key, Item(value: pair.value, path: inner(pair.key), position: pair.valuePosition, context: context))
        }
    }

    private func present(_ key: String) -> Item? { item(key).flatMap { $0.value.isNull ? nil : $0 } }

    // MARK: Asking without reading

    /// Whether the key is present, even without a value.
    func mentions(_ key: String) -> Bool { pair(key) != nil }

    /// Whether the key is present with a value.
    func holds(_ key: String) -> Bool { pair(key).map { !$0.value.isNull || $0.key != key } ?? false }

    private func pair(_ key: String) -> YAMLPair? {
        known.insert(key)
        return pairs.first { $0.isForm(of: key) }
    }

    // MARK: Faults

    /// Reports a fault of the section as a whole.
    func fault(_ message: String) { context.fault(position, path.isEmpty ? nil : path, message) }

    /// Reports a fault of a key's value.
    func fault(at key: String, _ message: String) {
        let pair = pair(key)
        context.fault(pair?.valuePosition ?? position, inner(pair?.key ?? key), message)
    }

    /// Reports keys that are unknown or given in two ways; called after all keys have been read.
    func finish() {
        guard !hasAnyKey else { return }
        let values = known.subtracting(sections)
        for key in values {
            let forms = pairs.filter { $0.isForm(of: key) }
            for extra in forms.dropFirst() {
                let message = "given twice: \(forms[0].key) says it already; keep one"
                context.fault(extra.position, inner(extra.key), message)
            }
        }
        let names = known.union(sections).union(values.flatMap { [$0 + "_file", $0 + "_env"] })
        let sorted = names.sorted()
        for (place, pair) in pairs.enumerated() where !names.contains(pair.key) {
            let before = place > 0 ? pairs[place - 1] : nil
            let hint = Hint.number(endingIn: pair, after: before) ?? Hint.key(pair.key, in: path, known: sorted)
            context.fault(pair.position, inner(pair.key), "unknown key" + hint)
        }
    }

    private func inner(_ key: String) -> String { path.isEmpty ? key.printable : "\(path).\(key.printable)" }
}

extension YAMLPair {
    /// Whether it is the key itself, `KEY_file` or `KEY_env`.
    fileprivate func isForm(of name: String) -> Bool {
        guard key.hasPrefix(name) else { return false }
        return ["", "_file", "_env"].contains(key.dropFirst(name.count))
    }
}
