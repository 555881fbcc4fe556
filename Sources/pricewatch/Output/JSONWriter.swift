import Engine
import Foundation
import Markets

/// Writes JSON as a stream, with the keys in the order in which they are given.
///
/// `JSONEncoder` on Linux gives its keys no order of their own and costs ten times as much, and the status file
/// is written at every poll.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    init(reserving capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func object(_ body: (inout JSONWriter) -> Void) { nest("{", "}", body) }
    mutating func array(_ body: (inout JSONWriter) -> Void) { nest("[", "]", body) }

    mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    mutating func array<Items: Sequence>(
        _ name: StaticString, _ items: Items, _ body: (inout JSONWriter, Items.Element) -> Void
    ) {
        key(name)
        array { json in for item in items { body(&json, item) } }
    }

    mutating func member(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    mutating func member(_ name: StaticString, _ value: Int?) {
        key(name)
        if let value { number(String(value)) } else { null() }
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        number(value ? "true" : "false")
    }

    /// Whole seconds, UTC.
    mutating func member(_ name: StaticString, _ value: Date?) {
        key(name)
        guard let value else { return null() }
        quote { value.appendUTCText(to: &$0) }
    }

    /// A price is a string of its exact digits.
    mutating func member(_ name: StaticString, _ value: Price?) {
        key(name)
        guard let value else { return null() }
        quote { value.appendDigits(to: &$0) }
    }

    /// A percentage is a number of at most two decimals.
    mutating func member(_ name: StaticString, _ value: Percent?) {
        key(name)
        if let value { number(value.description) } else { null() }
    }

    mutating func member(_ name: StaticString, _ value: CoverageShare) {
        key(name)
        number(value.description)
    }

    mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func string(_ text: String) {
        separate()
        JSONString.append(text, to: &bytes)
        needsComma = true
    }

    /// A text of which nothing is to be escaped.
    private mutating func quote(_ append: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A number, true, false or null as it is to stand there.
    mutating func number(_ literal: String) {
        separate()
        bytes.append(contentsOf: literal.utf8)
        needsComma = true
    }

    mutating func null() { number("null") }

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
