import Foundation
import Markets

/// A JSON text (RFC 8259) and the positions of its values.
///
/// `JSONDecoder` takes seven times as long for a page of prices, which was more than a third of a whole poll, and
/// returns numbers as `Decimal`. Here one pass finds every value and validates the text; values are decoded on access.
///
/// The text is UTF-8, with or without a byte order mark. A grammar error refuses the document; invalid Unicode in a
/// text (an unpaired surrogate, a stray byte) makes only that text unreadable. Of members with the same name, the first
/// counts.
final class JSONDocument: Sendable {
    let bytes: [UInt8]
    /// Every value; the elements of a list or an object follow it directly.
    let tokens: [JSONToken]

    init(_ body: Data) throws(UnreadableBody) {
        do {
            tokens = try JSONScanner.tokens(of: body.span)
        } catch {
            throw UnreadableBody(invalid: body)
        }
        bytes = [UInt8](body)
    }

    var root: JSONValue { JSONValue(self, 0) }
}

/// A value of a document. Accessors for another type return nil.
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

    /// The elements of a list, or the member values of an object.
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

    /// Empty if it is neither list nor object.
    var children: Children {
        let isNested = kind == .list || kind == .object
        return Children(document: document, index: index + 1, end: isNested ? Int(token.end) : 0)
    }

    /// The elements of a list.
    var items: Children? { kind == .list ? children : nil }
    /// The member values of an object, each with its `name`.
    var members: Children? { kind == .object ? children : nil }

    /// The element at this index of a list, from 0.
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

    /// The name of a member; nil for other values and for invalid Unicode.
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

    /// Passes a text's bytes to `read`, without making a string unless it holds escapes.
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

    /// A number as written.
    var digits: String? {
        guard kind == .number else { return nil }
        return String(decoding: document.bytes[Int(token.start)..<Int(token.end)], as: UTF8.self)
    }

    /// A JSON number.
    var numeral: DecimalNumeral? {
        guard kind == .number else { return nil }
        let bytes = document.bytes
        return DecimalNumeral(bytes.span.extracting(Int(token.start)..<Int(token.end)))
    }
}

extension JSONToken {
    /// The index of the next value on the same level.
    fileprivate func following(_ index: Int) -> Int { kind == .list || kind == .object ? Int(end) : index + 1 }
}
