import Foundation

/// Writes JSON as a stream, with the keys in the order in which they are given.
///
/// `JSONEncoder` on Linux does not keep the order of keys and takes ten times as long, and the status file is written
/// at every poll.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(reserving capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func object(_ body: (inout JSONWriter) -> Void) { nest("{", "}", body) }
    package mutating func array(_ body: (inout JSONWriter) -> Void) { nest("[", "]", body) }

    package mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    package mutating func array<Items: Sequence>(
        _ name: StaticString, _ items: Items, _ body: (inout JSONWriter, Items.Element) -> Void
    ) {
        key(name)
        array { json in for item in items { body(&json, item) } }
    }

    package mutating func member(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    package mutating func member(_ name: StaticString, _ value: Int?) { member(name, literal: value?.description) }

    package mutating func member(_ name: StaticString, _ value: Bool) { member(name, literal: value.description) }

    /// Whole seconds, UTC.
    package mutating func member(_ name: StaticString, _ value: Date?) {
        key(name)
        guard let value else { return null() }
        quote { value.appendUTCText(to: &$0) }
    }

    /// A price is a string of its exact digits.
    package mutating func member(_ name: StaticString, _ value: Price?) {
        key(name)
        guard let value else { return null() }
        quote { value.appendDigits(to: &$0) }
    }

    /// A percentage is a number of at most two decimals.
    package mutating func member(_ name: StaticString, _ value: Percent?) { member(name, literal: value?.description) }

    private mutating func member(_ name: StaticString, literal: String?) {
        key(name)
        number(literal ?? "null")
    }

    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ text: String) {
        separate()
        JSONString.append(text, to: &bytes)
        needsComma = true
    }

    /// Writes a string that needs no escaping.
    private mutating func quote(_ append: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a number, `true`, `false` or `null` as given.
    package mutating func number(_ literal: String) {
        separate()
        bytes.append(contentsOf: literal.utf8)
        needsComma = true
    }

    package mutating func null() { number("null") }

    private mutating func nest(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}

/// JSON strings. Besides what JSON requires, everything that controls a terminal is escaped.
package enum JSONString {
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `quoted`: a status file holds thousands.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        {
            bytes.append(contentsOf: text.utf8)
        } else {
            bytes.append(contentsOf: text.replacingScalars(escape).utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        default: scalar.isUnprintable ? SafeText.escape(scalar) : nil
        }
    }
}
