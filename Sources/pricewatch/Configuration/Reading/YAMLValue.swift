import CYaml
import Foundation
import Yams

/// A value and its place in the file. Text is kept as written, whatever type YAML resolves it to.
///
/// Lists and mappings are opened when they are read, so that nested aliases are never expanded.
struct YAMLValue {
    let node: Node
    /// The file that the value is written in.
    let file: String
    /// The origin of a text that `KEY_file` or `KEY_env` refers to: an absolute path, or `$NAME`. Messages do not quote
    /// such a text, which may be secret.
    var origin: String?

    var position: FilePosition { FilePosition(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1) }

    /// nil: a list or a mapping.
    var text: String? { if case .scalar(let scalar) = node { scalar.string } else { nil } }

    /// nil: not a list.
    var items: [YAMLValue]? {
        guard case .sequence(let items) = node else { return nil }
        return items.map { YAMLValue(node: $0, file: file) }
    }

    var isMapping: Bool { if case .mapping = node { true } else { false } }

    /// Nothing, or a mapping without entries.
    var isEmpty: Bool { if case .mapping(let mapping) = node { mapping.isEmpty } else { isNull } }

    /// Whether the key has no value: `every:`, `every: null`, `every: ~`.
    var isNull: Bool {
        // Comparing with `Tag.implicit` itself would create Yams's patterns for types, which takes 1 ms.
        guard case .scalar(let scalar) = node, scalar.style == .plain, scalar.tag == Tag(.implicit, .basic) else {
            return false
        }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// The kind of value, without its text.
    var kind: String { items != nil ? "a list" : isMapping ? "a mapping" : isNull ? "nothing" : "a text" }

    /// The value in messages.
    var shown: String {
        guard let text, !isNull else { return kind }
        return origin.map { "something else in \($0.printable)" } ?? text.quoted
    }

    /// The entries of a mapping, then those that its merge keys (`<<: *defaults`, YAML 1.1) add; nil: not a mapping.
    func pairs(_ context: ReadingContext) -> [YAMLPair]? {
        guard case .mapping(let mapping) = node else { return nil }
        var pairs: [YAMLPair] = []
        var merged: [YAMLPair] = []
        for (key, value) in mapping.map({ (YAMLValue(node: $0, file: file), YAMLValue(node: $1, file: file)) }) {
            // `YAMLCheck` has refused keys that are no text.
            let name = key.text ?? ""
            if name == "<<" {
                merged += (value.items ?? [value]).flatMap { $0.mergeable(context) }
            } else {
                pairs.append(YAMLPair(key: name, position: key.position, value: value))
            }
        }
        var known = Set(pairs.map(\.key))
        return pairs + merged.filter { known.insert($0.key).inserted }
    }

    private func mergeable(_ context: ReadingContext) -> [YAMLPair] {
        if let pairs = pairs(context) { return pairs }
        context.fault(position, nil, "<< takes a mapping, such as <<: *defaults")
        return []
    }
}

/// One entry of a mapping.
struct YAMLPair {
    var key: String
    /// Of the key.
    var position: FilePosition
    var value: YAMLValue

    /// The position of a scalar's value, or of the key of a list or mapping, which begins a line below it.
    var valuePosition: FilePosition { value.text == nil ? position : value.position }
}

extension YAMLValue {
    /// nil for an empty file or comments alone.
    static func parse(_ text: String, file: String) throws(ConfigurationFault) -> YAMLValue? {
        let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        if let (message, mark) = YAMLCheck.fault(in: text) {
            let position = FilePosition(file: file, line: Int(mark.line) + 1, column: Int(mark.column) + 1)
            throw ConfigurationFault(position: position, message: message)
        }
        do {
            // The basic resolver: types are not used, and creating Yams's patterns for them takes 1 ms.
            let root = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
            return root.map { YAMLValue(node: $0, file: file) }
        } catch {
            throw fault(error, in: text, file: file)
        }
    }

    /// The same place with another text.
    func replaced(by text: String, from origin: String?) -> YAMLValue {
        let scalar = Node.Scalar(text, Tag(.implicit, .basic), .doubleQuoted, node.mark)
        return YAMLValue(node: .scalar(scalar), file: file, origin: origin)
    }

    /// The fault in words, without quoting the line, which may contain a secret.
    private static func fault(_ error: any Error, in text: String, file: String) -> ConfigurationFault {
        // libyaml counts a line behind the last, also where that has no line break.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        func at(_ mark: Mark?, _ message: String) -> ConfigurationFault {
            at(mark?.line ?? 1, mark?.column ?? 1, message)
        }
        func at(_ line: Int, _ column: Int, _ message: String) -> ConfigurationFault {
            let isBehind = line > lines.count
            let end = lines.last.map { $0.unicodeScalars.count + 1 } ?? 1
            let position = FilePosition(
                file: file, line: isBehind ? lines.count : line, column: isBehind ? end : column)
            let message = message.trimmingCharacters(in: .whitespacesAndNewlines)
            return ConfigurationFault(position: position, keyPath: nil, message: "no valid YAML: \(message)")
        }
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
            let place = context.map {
                " (\($0.text.trimmingCharacters(in: .whitespacesAndNewlines)), line \($0.mark.line))"
            }
            let hint = "; YAML indents with blanks, not tabs, and a text that begins with @ or ` needs quotes"
            return at(mark, problem + (place ?? "") + (problem.contains("cannot start any token") ? hint : ""))
        case .composer(_, let problem, let mark, _):
            return at(mark, problem.contains("another document") ? "a second document begins here" : problem)
        case .reader(let problem, let offset, _, let text):
            let lines = text.prefix(offset ?? 0).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            return at(lines.count, (lines.last?.unicodeScalars.count ?? 0) + 1, problem)
        case .duplicatedKeysInMapping(let keys, let context):
            return at(context.mark, "duplicate key \(keys.first?.printable ?? ""); keep one")
        default:
            return at(nil, "cannot be parsed")
        }
    }
}

/// Refuses what Yams or the merge keys would need exponential time for: ten lines of nine aliases each stand for a
/// billion values, and Yams hashes a list or mapping that is a key with all of its values.
private struct YAMLCheck {
    private static let most = 1_000_000

    /// With those that aliases stand for.
    private var values = 0
    /// The values of each anchor.
    private var sizes: [String: Int] = [:]
    private var open: [(anchor: String?, start: Int, isMapping: Bool, children: Int)] = []

    /// nil also for a text that is no YAML, which Yams reports.
    static func fault(in text: String) -> (message: String, yaml_mark_t)? {
        var text = text
        return text.withUTF8 { bytes in
            var parser = yaml_parser_t()
            yaml_parser_initialize(&parser)
            defer { yaml_parser_delete(&parser) }
            yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
            var event = yaml_event_t()
            var check = YAMLCheck()
            while yaml_parser_parse(&parser, &event) == 1, event.type != YAML_STREAM_END_EVENT {
                defer { yaml_event_delete(&event) }
                if let fault = check.fault(in: event) { return (fault, event.start_mark) }
            }
            return nil
        }
    }

    private mutating func fault(in event: yaml_event_t) -> String? {
        switch event.type {
        case YAML_ALIAS_EVENT: return add(name(event.data.alias.anchor).flatMap { sizes[$0] } ?? 1)
        case YAML_SCALAR_EVENT:
            if let anchor = name(event.data.scalar.anchor) { sizes[anchor] = 1 }
            return add(1)
        case YAML_SEQUENCE_START_EVENT: return begin(name(event.data.sequence_start.anchor), isMapping: false)
        case YAML_MAPPING_START_EVENT: return begin(name(event.data.mapping_start.anchor), isMapping: true)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            let ended = open.removeLast()
            if let anchor = ended.anchor { sizes[anchor] = values - ended.start }
        default: break
        }
        return nil
    }

    private mutating func begin(_ anchor: String?, isMapping: Bool) -> String? {
        let start = values
        // A list or mapping counts twice, so that it is larger than a text even if it is empty.
        let fault = add(2)
        open.append((anchor, start, isMapping, 0))
        return fault
    }

    /// A text has the size 1.
    private mutating func add(_ size: Int) -> String? {
        values += size
        if size > 2, values > Self.most { return "the aliases up to here stand for more than \(Self.most) values" }
        guard let last = open.indices.last else { return nil }
        open[last].children += 1
        let isKey = open[last].isMapping && !open[last].children.isMultiple(of: 2)
        return isKey && size > 1 ? "a key must be a text" : nil
    }

    private func name(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> String? { anchor.map { String(cString: $0) } }
}
