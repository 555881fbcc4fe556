import Markets

/// Writes XML and HTML. The names of elements and attributes are literals of the source; every text is escaped.
package struct MarkupWriter {
    /// A value that is nil leaves its attribute out.
    package typealias Attributes = KeyValuePairs<StaticString, String?>

    package private(set) var bytes: [UInt8] = []

    package init(reserving capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func element(
        _ name: StaticString, _ attributes: Attributes = [:], _ content: (inout MarkupWriter) -> Void
    ) {
        open(name, attributes)
        literal(">")
        content(&self)
        literal("</")
        literal(name)
        literal(">")
    }

    package mutating func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) {
        element(name, attributes) { $0.write(text) }
    }

    /// An element without content.
    package mutating func empty(_ name: StaticString, _ attributes: Attributes = [:]) {
        open(name, attributes)
        literal("/>")
    }

    /// Keeps line breaks; other control characters, which XML forbids even escaped, become text such as `\u001b`.
    package mutating func write(_ text: String) {
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            guard utf8.allSatisfy(Self.isPlain) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if isPlain { return }
        bytes.append(contentsOf: text.replacingScalars(Self.replacement).utf8)
    }

    /// Text of the source, as it is.
    package mutating func literal(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    package mutating func append(_ other: MarkupWriter) { bytes.append(contentsOf: other.bytes) }

    private mutating func open(_ name: StaticString, _ attributes: Attributes) {
        literal("<")
        literal(name)
        for case (let name, let value?) in attributes {
            literal(" ")
            literal(name)
            literal("=\"")
            write(value)
            literal("\"")
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
        default: (0x20..<0x7F).contains(byte) || byte == UInt8(ascii: "\n")
        }
    }

    private static func replacement(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        case "\n": nil
        default: scalar.isUnprintable ? SafeText.escape(scalar) : nil
        }
    }
}
