/// A value with its position; text is kept as written, whatever type YAML resolves it to.
struct YAMLValue: Sendable {
    var position: FilePosition
    var content: Content
    /// The origin of the text; decides whether a message may quote it.
    var origin: Configuration.Secret.Origin = .inline

    indirect enum Content: Sendable {
        case text(String, plain: Bool)
        case list([YAMLValue])
        case mapping([YAMLPair])
    }

    /// Whether the key has no value: `every:`, `every: null`, `every: ~`.
    var isNull: Bool {
        guard case .text(let text, plain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The value in messages: a text is quoted only if it is written in the configuration itself.
    var shown: String {
        switch content {
        case .list: "a list"
        case .mapping: "a mapping"
        case .text where isNull: "nothing"
        case .text(let text, _):
            switch origin {
            case .inline: text.quoted
            case .file(let path): "something else in \(path.printable)"
            case .environment(let name): "something else in $\(name.printable)"
            }
        }
    }

    /// The kind of value, without its text.
    var kind: String {
        switch content {
        case .list: "a list"
        case .mapping: "a mapping"
        case .text: isNull ? "nothing" : "a text"
        }
    }
}

struct YAMLPair: Sendable {
    var key: String
    var position: FilePosition
    var value: YAMLValue
}
