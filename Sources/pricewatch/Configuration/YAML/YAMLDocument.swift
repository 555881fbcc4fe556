import Foundation
import Yams

/// Parses YAML text into a tree and reports YAML's own faults.
enum YAMLDocument {
    /// The deepest nesting, more than any valid configuration has; limits the recursion over the tree.
    static let deepest = 32
    /// The most values after aliases are expanded.
    static let mostValues = 100_000

    /// The document's value, nil for an empty file or comments alone. Adds faults that allow reading to continue to
    /// `faults`; throws the others.
    static func read(
        _ text: String, file: String, faults: inout [ConfigurationFault]
    ) throws(ConfigurationFault) -> YAMLValue? {
        let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        try AliasBudget.check(text, file: file, most: 10 * mostValues)
        let parsed = try DuplicateKeys.parse(text, file: file)
        guard let node = parsed.root else { return nil }
        var copy = TreeCopy(file: file, renamed: parsed.renamed, faults: [], valuesLeft: mostValues)
        let value = try copy.value(node, path: "", depth: 0)
        faults += copy.faults
        return value
    }

    /// The fault in words, without quoting the line, which may contain a secret.
    static func fault(_ error: any Error, file: String) -> ConfigurationFault {
        func at(_ line: Int?, _ column: Int?, _ message: String) -> ConfigurationFault {
            let position = FilePosition(file: file, line: line ?? 1, column: column ?? 1)
            return ConfigurationFault(position: position, keyPath: nil, message: "no valid YAML: \(message)")
        }
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
            var message = problem.trimmed
            if let context { message += " (\(context.text.trimmed), line \(context.mark.line))" }
            if problem.contains("cannot start any token") {
                message += "; YAML indents with blanks, not tabs, and a text that begins with @ or ` needs quotes"
            }
            return at(mark.line, mark.column, message)
        case .composer(_, let problem, let mark, _):
            let isSecond = problem.contains("another document")
            return at(mark.line, mark.column, isSecond ? "a second document begins here" : problem.trimmed)
        case .reader(let problem, let offset, _, let text):
            let found = offset.flatMap { place(of: $0, in: text) }
            return at(found?.line, found?.column, problem.trimmed)
        case .duplicatedKeysInMapping(_, let context):
            return at(context.mark.line, context.mark.column, "duplicate key")
        default:
            return at(nil, nil, "cannot be parsed")
        }
    }

    private static func place(of offset: Int, in text: String) -> (line: Int, column: Int)? {
        guard let index = text.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex) else { return nil }
        let before = text[..<index]
        let line = before.count(where: \.isNewline) + 1
        let start = before.lastIndex(where: \.isNewline).map(before.index(after:)) ?? before.startIndex
        return (line, before[start...].unicodeScalars.count + 1)
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

/// Copies Yams's nodes, expands aliases within limits, and restores the letters replaced by `DuplicateKeys`.
private struct TreeCopy {
    let file: String
    let renamed: [Unicode.Scalar: Unicode.Scalar]
    var faults: [ConfigurationFault]
    var valuesLeft: Int

    mutating func value(_ node: Node, path: String, depth: Int) throws(ConfigurationFault) -> YAMLValue {
        let position = position(node.mark)
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw fault(position, "more than \(YAMLDocument.mostValues) values") }
        guard depth <= YAMLDocument.deepest else {
            throw fault(position, "values lie more than \(YAMLDocument.deepest) deep in each other")
        }
        switch node {
        case .scalar(let scalar):
            let plain = scalar.style == .plain && scalar.tag.isImplicit
            return YAMLValue(position: position, content: .text(scalar.string, plain: plain))
        case .sequence(let sequence):
            var items: [YAMLValue] = []
            for item in sequence {
                items.append(try value(item, path: "\(path)[\(items.count)]", depth: depth + 1))
            }
            return YAMLValue(position: position, content: .list(items))
        case .mapping(let mapping):
            return YAMLValue(position: position, content: .mapping(try pairs(mapping, path: path, depth: depth)))
        case .alias:
            throw fault(position, "an alias without its anchor")
        }
    }

    private mutating func pairs(_ mapping: Node.Mapping, path: String, depth: Int) throws(ConfigurationFault)
        -> [YAMLPair]
    {
        var pairs: [YAMLPair] = []
        var merged: [YAMLPair] = []
        var places: [String: FilePosition] = [:]
        for (keyNode, valueNode) in mapping {
            guard case .scalar(let scalar) = keyNode else {
                faults.append(fault(position(keyNode.mark), "a key must be a text"))
                continue
            }
            let key = restored(scalar.string)
            let inner = path.isEmpty ? key.printable : "\(path).\(key.printable)"
            let value = try value(valueNode, path: inner, depth: depth + 1)
            if key == "<<", scalar.style == .plain {
                merged += mergeable(value)
                continue
            }
            let pair = YAMLPair(key: key, position: position(scalar.mark), value: value)
            guard let known = places.updateValue(pair.position, forKey: key) else {
                pairs.append(pair)
                continue
            }
            let (earlier, later) = known.isBefore(pair.position) ? (known, pair.position) : (pair.position, known)
            faults.append(
                ConfigurationFault(
                    position: later, keyPath: inner,
                    message: "duplicate key (first defined on line \(earlier.line)); keep one"))
        }
        for pair in merged where places.updateValue(pair.position, forKey: pair.key) == nil { pairs.append(pair) }
        return pairs
    }

    /// The pairs of a merge key, `<<: *defaults` (YAML 1.1): they apply unless the mapping has the key itself.
    private mutating func mergeable(_ value: YAMLValue) -> [YAMLPair] {
        switch value.content {
        case .mapping(let pairs): return pairs
        case .list(let items): return items.flatMap { mergeable($0) }
        case .text:
            faults.append(fault(value.position, "<< takes a mapping, such as <<: *defaults"))
            return []
        }
    }

    private func restored(_ key: String) -> String {
        guard let first = key.unicodeScalars.first, let original = renamed[first] else { return key }
        return String(String.UnicodeScalarView([original] + key.unicodeScalars.dropFirst()))
    }

    private func position(_ mark: Mark?) -> FilePosition {
        FilePosition(file: file, line: mark?.line ?? 1, column: mark?.column ?? 1)
    }

    private func fault(_ position: FilePosition, _ message: String) -> ConfigurationFault {
        ConfigurationFault(position: position, keyPath: nil, message: message)
    }
}

extension FilePosition {
    /// Both positions must be in the same file.
    func isBefore(_ other: FilePosition) -> Bool { (line, column) < (other.line, other.column) }
}

extension Tag {
    /// Whether the type is left to YAML's resolution (`null` is no value, `!!str null` is a text).
    ///
    /// Comparing with `Tag.implicit` itself would create Yams's patterns for types, which takes 1 ms.
    fileprivate var isImplicit: Bool { self == Tag(.implicit, .basic) }
}
