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
        case .text:
            do { return String(copying: try UTF8Span(validating: bytes.span.extracting(token.range))) } catch {
                return nil
            }
        case .escapedText:
            let quoted = bytes[(token.range.lowerBound - 1)...token.range.upperBound]
            return try? JSONDecoder().decode(String.self, from: Data(quoted))
        default: return nil
        }
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
