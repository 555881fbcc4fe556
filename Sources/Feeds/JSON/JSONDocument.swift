import Foundation

/// A JSON text, RFC 8259, and where each of its values stands.
///
/// `JSONDecoder` spends on a page of prices seven times as long, which was more than a third of a whole poll, and
/// hands out its numbers as `Decimal`. Here one pass finds every value and proves the text valid; what a value means
/// is read when it is asked for.
///
/// The text is UTF-8, with or without a byte order mark. What the grammar forbids refuses the whole; a text that is no
/// Unicode (an unpaired surrogate, a stray byte) is unreadable alone. Of members with the same name the first counts.
final class JSONDocument: Sendable {
    let bytes: [UInt8]
    /// Every value, those of a list or an object right after it.
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

/// A value as it was found.
struct JSONToken {
    enum Kind: UInt8 { case object, list, text, escapedText, number, `true`, `false`, null }

    var kind: Kind
    /// Of a member: whether its name holds escapes.
    var nameIsEscaped = false
    /// Of a member, its name without the quotation marks.
    var nameStart: UInt32 = 0
    var nameEnd: UInt32 = 0
    /// The first byte; of a text, the one after the quotation mark.
    var start: UInt32
    /// The byte after the last; of a list or an object, the token after its last one.
    var end: UInt32 = 0
}
