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
    /// Every value; the elements of a list, or the names and values of an object, follow it directly.
    let tokens: [JSONToken]

    init(_ body: Data) throws(UnreadableBody) {
        do {
            tokens = try JSONScanner(body.span).tokens
        } catch {
            throw UnreadableBody(invalid: body)
        }
        bytes = [UInt8](body)
    }

    var root: JSONValue { JSONValue(document: self, index: 0) }

    /// The elements of a body's list.
    static func list(in body: Data) throws(UnreadableBody) -> JSONValue.Children {
        guard let list = try JSONDocument(body).root.items else { throw UnreadableBody(misshapen: body, at: "/") }
        return list
    }
}

/// A value of a document. Accessors for another type return nil.
struct JSONValue: Sendable {
    fileprivate let document: JSONDocument
    fileprivate let index: Int

    private var token: JSONToken { document.tokens[index] }

    var kind: JSONToken.Kind { token.kind }
    var isNull: Bool { kind == .null }

    // MARK: Lists and objects

    /// The elements of a list, or the member values of an object.
    struct Children: Sequence, IteratorProtocol {
        fileprivate let document: JSONDocument
        fileprivate var index: Int
        fileprivate let end: Int
        /// The tokens before a value: one for the name of a member.
        fileprivate let step: Int

        mutating func next() -> JSONValue? {
            guard index < end else { return nil }
            let value = index + step
            index = document.tokens[value].following(value)
            return JSONValue(document: document, index: value)
        }
    }

    /// Empty if it is neither list nor object.
    var children: Children {
        let end = kind == .list || kind == .object ? Int(token.end) : 0
        return Children(document: document, index: index + 1, end: end, step: kind == .object ? 1 : 0)
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
        let (wanted, text) = (name.utf8.span, bytes.span)
        let end = Int(token.end)
        var index = index + 1
        while index < end {
            let stated = tokens[index]
            let isEqual =
                stated.kind == .text && Int(stated.end - stated.start) == wanted.count
                && wanted.indices.allSatisfy { wanted[$0] == text[Int(stated.start) + $0] }
            if isEqual || (stated.kind == .escapedText && document.text(stated)?.utf8.elementsEqual(name.utf8) == true)
            {
                return JSONValue(document: document, index: index + 1)
            }
            index = tokens[index + 1].following(index + 1)
        }
        return nil
    }

    /// The name of a member; nil for invalid Unicode.
    var name: String? { document.text(document.tokens[index - 1]) }

    // MARK: Texts and numbers

    var text: String? { document.text(token) }

    /// Passes a text's bytes to `read`, without making a string unless it holds escapes.
    func reading<Value>(_ read: (Span<UInt8>) -> Value?) -> Value? {
        let bytes = document.bytes
        return switch kind {
        case .text: read(bytes.span.extracting(token.range))
        case .escapedText: text.flatMap { read($0.utf8.span) }
        default: nil
        }
    }

    /// A number as written.
    var digits: String? {
        guard kind == .number else { return nil }
        return String(decoding: document.bytes[token.range], as: UTF8.self)
    }

    /// A JSON number.
    var numeral: DecimalNumeral? {
        guard kind == .number else { return nil }
        let bytes = document.bytes
        return DecimalNumeral(bytes.span.extracting(token.range))
    }

    /// A text that is a number, as exchanges write it.
    var numeralInText: DecimalNumeral? { reading { DecimalNumeral($0) } }

    /// A JSON number, or a text that is a number.
    var figure: DecimalNumeral? { numeral ?? numeralInText }
}

extension JSONDocument {
    /// Nil if it is no text, or invalid Unicode.
    fileprivate func text(_ token: JSONToken) -> String? {
        let bytes = bytes
        switch token.kind {
        case .text: return Self.string(bytes.span.extracting(token.range))
        case .escapedText: return Self.unescaped(bytes[token.range])
        default: return nil
        }
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "t"): 0x09,
    ]

    /// Ten times as fast as `JSONDecoder`, where a server escapes every slash.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> String? {
        var rest = text
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count)
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "\\") {
                plain.append(byte)
            } else if let letter = rest.popFirst(), letter != UInt8(ascii: "u") {
                plain.append(escapes[letter] ?? letter)
            } else {
                guard let scalar = scalar(&rest) else { return nil }
                plain.append(contentsOf: UTF8.encode(scalar) ?? .init())
            }
        }
        return string(plain.span)
    }

    private static func string(_ text: Span<UInt8>) -> String? {
        do { return String(copying: try UTF8Span(validating: text)) } catch { return nil }
    }

    /// The four digits after `\u`, or with a second escape a surrogate pair; nil for a lone surrogate.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        func unit() -> UInt16? {
            defer { rest = rest.dropFirst(4) }
            return UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16)
        }
        guard let high = unit() else { return nil }
        guard UTF16.isLeadSurrogate(high), rest.starts(with: "\\u".utf8) else { return Unicode.Scalar(high) }
        rest = rest.dropFirst(2)
        guard let low = unit(), UTF16.isTrailSurrogate(low) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([high, low]))
    }
}

extension JSONToken {
    /// The bytes of a text, or of a number.
    fileprivate var range: Range<Int> { Int(start)..<Int(end) }

    /// The index of the next token on the same level.
    fileprivate func following(_ index: Int) -> Int { kind == .list || kind == .object ? Int(end) : index + 1 }
}

/// Why a body could not be decoded.
package struct UnreadableBody: Error, Hashable, Sendable {
    /// Completes "the answer …", such as `is not valid JSON (it begins with "[{\"id\":")`.
    var reason: String
    /// True if a retry may help: a truncated or garbled body, as opposed to a changed format.
    var isRetryable = false
}

extension UnreadableBody {
    /// A body that is not JSON.
    init(invalid body: Data) {
        let beginning = "is not valid JSON or is cut off (it begins with \(SafeText.quoted(body)))"
        self.init(reason: body.isEmpty ? "is empty" : beginning, isRetryable: true)
    }

    /// A JSON body without the expected value at `place`, such as `/3/price`.
    init(misshapen body: Data, at place: String) {
        self.init(reason: "does not have the expected form at \(place) (it begins with \(SafeText.quoted(body)))")
    }
}
