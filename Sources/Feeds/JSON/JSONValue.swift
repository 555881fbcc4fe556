import Markets

/// A value of a document. What it is asked for and is not, is nil.
struct JSONValue: Sendable {
    let document: JSONDocument
    private let index: Int

    init(_ document: JSONDocument, _ index: Int) {
        self.document = document
        self.index = index
    }

    private var token: JSONToken { document.tokens[index] }

    var kind: JSONToken.Kind { token.kind }
    var isNull: Bool { kind == .null }

    // MARK: Lists and objects

    /// The values of a list, or of the members of an object.
    struct Children: Sequence, IteratorProtocol {
        fileprivate let document: JSONDocument
        fileprivate var index: Int
        fileprivate let end: Int

        mutating func next() -> JSONValue? {
            guard index < end else { return nil }
            defer { index = document.tokens[index].following(index) }
            return JSONValue(document, index)
        }
    }

    /// None where it is neither list nor object.
    var children: Children {
        let isNested = kind == .list || kind == .object
        return Children(document: document, index: index + 1, end: isNested ? Int(token.end) : 0)
    }

    /// The values of a list.
    var items: Children? { kind == .list ? children : nil }
    /// The values of an object, each knowing its `name`.
    var members: Children? { kind == .object ? children : nil }

    /// The value at this place of a list, from 0.
    subscript(_ place: Int) -> JSONValue? { place < 0 ? nil : items?.dropFirst(place).first { _ in true } }

    /// The member of an object.
    subscript(_ name: String) -> JSONValue? {
        guard kind == .object else { return nil }
        let (tokens, bytes) = (document.tokens, document.bytes)
        let end = Int(token.end)
        var name = name
        let found = name.withUTF8 { name -> Int? in
            var index = index + 1
            while index < end {
                let token = tokens[index]
                let stated = Int(token.nameStart)..<Int(token.nameEnd)
                if token.nameIsEscaped || stated.count == name.count,
                    JSONText.isEqual(bytes.span.extracting(stated), isEscaped: token.nameIsEscaped, to: name)
                {
                    return index
                }
                index = token.following(index)
            }
            return nil
        }
        return found.map { JSONValue(document, $0) }
    }

    /// Of a member; nil where it is none, or no Unicode.
    var name: String? {
        let (token, bytes) = (token, document.bytes)
        return JSONText.string(
            bytes.span.extracting(Int(token.nameStart)..<Int(token.nameEnd)), isEscaped: token.nameIsEscaped)
    }

    // MARK: Texts and numbers

    var text: String? {
        guard kind == .text || kind == .escapedText else { return nil }
        let bytes = document.bytes
        return JSONText.string(
            bytes.span.extracting(Int(token.start)..<Int(token.end)), isEscaped: kind == .escapedText)
    }

    /// What `read` makes of a text, which becomes no string on the way unless it holds escapes.
    func reading<Value>(_ read: (Span<UInt8>) -> Value?) -> Value? {
        let bytes = document.bytes
        switch kind {
        case .text: return read(bytes.span.extracting(Int(token.start)..<Int(token.end)))
        case .escapedText:
            guard let text else { return nil }
            return read(text.utf8.span)
        default: return nil
        }
    }

    /// A number as it is written.
    var digits: String? {
        guard kind == .number else { return nil }
        return String(decoding: document.bytes[Int(token.start)..<Int(token.end)], as: UTF8.self)
    }

    /// Of a JSON number.
    var numeral: DecimalNumeral? {
        guard kind == .number else { return nil }
        let bytes = document.bytes
        return DecimalNumeral(bytes.span.extracting(Int(token.start)..<Int(token.end)))
    }
}

extension JSONToken {
    /// The index of the next value on the same floor.
    fileprivate func following(_ index: Int) -> Int { kind == .list || kind == .object ? Int(end) : index + 1 }
}
