/// A value of the file with the place where it stands; text is kept as written, whatever type YAML sees in it.
struct YAMLValue: Sendable {
    var position: FilePosition
    var content: Content
    /// Where the text came from; decides whether a message may repeat it.
    var origin: Configuration.Secret.Origin = .inline

    indirect enum Content: Sendable {
        case text(String, plain: Bool)
        case list([YAMLValue])
        case mapping([YAMLPair])
    }

    /// Absent in all but name: `every:`, `every: null`, `every: ~`.
    var isNull: Bool {
        guard case .text(let text, plain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// For messages that say what was found: a text only where it stands in the configuration for all to read.
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

    /// What kind of thing it is, without its text.
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
